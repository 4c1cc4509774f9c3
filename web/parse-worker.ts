import { parentPort } from 'node:worker_threads';
import { extractPage } from './extract-links.ts';
import type { PageSource, ParsedPage } from './extract-links.ts';

/** One page on its way to a parse thread. */
export interface ParseOrder {
  readonly orderId: number;
  readonly page: PageSource;
}

/** Tells the pool that the thread has begun on an order: the time limit runs from here, not from the queue. */
export interface ParseBegun {
  readonly begunOrderId: number;
}

/** Runs in a parse thread, called by the pool. */
export function parse({ orderId, page }: ParseOrder): ParsedPage {
  parentPort?.postMessage({ begunOrderId: orderId } satisfies ParseBegun);
  return extractPage(page);
}
