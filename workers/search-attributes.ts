import type { Client } from '@temporalio/client';

/** Temporal's number for the type Keyword (`IndexedValueType`). */
const KEYWORD = 2;

/** Makes the search attributes by which hosts are found, where the namespace lacks them. */
export async function ensureSearchAttributes(client: Client): Promise<void> {
  const { operatorService } = client.connection as unknown as OperatorConnection;
  const { namespace } = client.options;
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = ['CrawlHost', 'CrawlState'].filter((name) => !(name in customAttributes));
  if (missing.length === 0) return;
  await operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
  });
}

/** What we use of the connection's operator service. */
interface OperatorConnection {
  readonly operatorService: {
    readonly listSearchAttributes: (request: { readonly namespace: string }) => Promise<{
      readonly customAttributes: Readonly<Record<string, number>>;
    }>;
    readonly addSearchAttributes: (request: {
      readonly namespace: string;
      readonly searchAttributes: Readonly<Record<string, number>>;
    }) => Promise<unknown>;
  };
}
