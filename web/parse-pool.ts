import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { PageSource, ParsedPage } from './extract-links.ts';
import type { ParseOrder } from './parse-worker.ts';

/** What became of a page in the pool; a page that was stopped has no links, and the pool goes on. */
export type ParseOutcome =
  | { readonly kind: 'parsed'; readonly page: ParsedPage }
  | {
      readonly kind: 'stopped';
      readonly reason: 'time' | 'memory' | 'crash';
      readonly detail: string;
    };

/** Threads that parse pages beside the fetching (R36). */
export interface ParsePool {
  readonly parse: (page: PageSource) => Promise<ParseOutcome>;
  /** Ends the threads; pages that are still in them are stopped. */
  readonly close: () => Promise<void>;
}

export interface ParsePoolOptions {
  readonly threads: number;
  /** For one page, from the moment a thread takes it up. */
  readonly timeLimitMs: number;
  /** Of one thread's heap: the last resort behind the parser's own limits; 64 is enough for any page. */
  readonly memoryMb: number;
}

/**
 * A pool of parse threads. A page that takes too long or too much memory ends its thread, for real, and costs that
 * page alone: a new thread takes the place (R36).
 */
export function createParsePool(options: ParsePoolOptions): ParsePool {
  const limits = new Map<number, PageLimit>();
  let threads: Piscina<ParseOrder, ParsedPage> | undefined;
  let lastOrderId = 0;

  const startThreads = () => {
    const started = newThreads(options);
    started.on('message', ({ begunOrderId }: { readonly begunOrderId: number }) => {
      limits.get(begunOrderId)?.begin();
    });
    // A thread that dies with no page in hand (it could not start, say) may leave the queue standing: begin anew.
    started.on('error', (error: Error) => {
      if (threads === started) threads = undefined;
      for (const limit of limits.values()) limit.stop(error);
      void started.destroy();
    });
    return started;
  };

  const parse = async (page: PageSource): Promise<ParseOutcome> => {
    threads ??= startThreads();
    lastOrderId += 1;
    const orderId = lastOrderId;
    const limit = new PageLimit(options.timeLimitMs);
    limits.set(orderId, limit);
    try {
      const parsed = await threads.run({ orderId, page }, { name: 'parse', signal: limit.signal });
      return { kind: 'parsed', page: parsed };
    } catch (error) {
      return limit.stopped ?? stoppedBy(error);
    } finally {
      limit.end();
      limits.delete(orderId);
    }
  };

  const close = async (): Promise<void> => {
    const closing = threads;
    threads = undefined;
    await closing?.destroy();
  };

  return { parse, close };
}

/** The compiled worker where this file is compiled; else the source, which the thread learns to read. */
function newThreads({ threads, memoryMb }: ParsePoolOptions): Piscina<ParseOrder, ParsedPage> {
  const extension = extname(import.meta.url);
  return new Piscina<ParseOrder, ParsedPage>({
    filename: fileURLToPath(new URL(`./parse-worker${extension}`, import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    execArgv: extension === '.ts' ? ['--import', typeScriptHook()] : [],
  });
}

/** `--import tsx` reads TypeScript in the main thread alone; its hook, asked for by name, does so in any. */
function typeScriptHook(): string {
  const hook = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const script = `import { register } from ${hook}; register();`;
  return `data:text/javascript,${encodeURIComponent(script)}`;
}

type Stopped = Extract<ParseOutcome, { readonly kind: 'stopped' }>;

/** The time limit of one page. */
class PageLimit {
  readonly #timeLimitMs: number;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  stopped: Stopped | undefined;

  constructor(timeLimitMs: number) {
    this.#timeLimitMs = timeLimitMs;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  begin(): void {
    this.#timer = setTimeout(() => {
      const detail = `not parsed within ${this.#timeLimitMs} ms`;
      this.stopped = { kind: 'stopped', reason: 'time', detail };
      this.#abort.abort();
    }, this.#timeLimitMs);
  }

  stop(error: Error): void {
    this.stopped = stoppedBy(error);
    this.#abort.abort();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function stoppedBy(error: unknown): Stopped {
  const detail = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const reason = code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash';
  return { kind: 'stopped', reason, detail };
}
