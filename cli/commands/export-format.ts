import { stringify } from 'csv-stringify/sync';
import type { ExportedFetch } from '../../db/export.ts';

/** The forms in which fetches are exported. */
export const EXPORT_FORMATS = ['jsonl', 'csv'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

// Every field once, by the compiler's word, in the order of the columns.
const COLUMNS = Object.keys({
  url: 0,
  key: 0,
  kind: 0,
  status: 0,
  outcome: 0,
  reason: 0,
  fetchedAt: 0,
  fetchMs: 0,
  digest: 0,
  depth: 0,
  foundOn: 0,
  contentType: 0,
  bodyBytes: 0,
  truncated: 0,
  links: 0,
  title: 0,
  noindex: 0,
  location: 0,
  warcFile: 0,
  warcOffset: 0,
  warcLength: 0,
} satisfies Record<keyof ExportedFetch, 0>);

/** How an export is written: what stands before the first record, and a batch of records as text. */
export interface ExportWriter {
  readonly head: string;
  readonly textOf: (batch: readonly ExportedFetch[]) => string;
}

/**
 * JSONL: one JSON object a line, each field as it is. CSV by RFC 4180: a header line, CRLF, an empty cell for `null`.
 *
 * Titles and headers are written by strangers, and a spreadsheet runs a cell that begins with `=`, `+`, `-`, `@`, a
 * tab or a carriage return: in CSV such a cell gets a `'` in front. Who needs the very text takes JSONL.
 */
export function exportWriter(format: ExportFormat): ExportWriter {
  switch (format) {
    case 'jsonl':
      return { head: '', textOf: (batch) => batch.map(jsonLine).join('') };
    case 'csv':
      return { head: csv([COLUMNS]), textOf: csv };
  }
}

function jsonLine(fetch: ExportedFetch): string {
  return `${JSON.stringify(fetch, COLUMNS)}\n`;
}

function csv(rows: readonly (ExportedFetch | readonly string[])[]): string {
  return stringify([...rows], {
    columns: COLUMNS,
    record_delimiter: 'windows',
    escape_formulas: true,
    cast: { boolean: String },
  });
}
