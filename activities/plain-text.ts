/** Text as Postgres can hold it: without U+0000 and lone surrogates, at most 1,000 characters; empty becomes `null`. */
export function plainText(text: string): string | null {
  const plain = Buffer.from(text.slice(0, 1_000).replaceAll('\0', ''), 'utf8').toString('utf8');
  return plain === '' ? null : plain;
}
