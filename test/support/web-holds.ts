import type { Place } from './web-resources.ts';

/** Answers kept back until released. */
export interface Hold {
  /** Settles when the first request is kept back. */
  readonly asked: Promise<void>;
  /** How many requests were kept back so far. */
  readonly heldCount: () => number;
  /** Lets the answers go; later requests aren't kept back. Once is enough. */
  readonly release: () => void;
}

/**
 * The holds of a web. A request under a hold of its host and one of its path waits for both; the same hold asked for
 * twice is one.
 */
export class Holds {
  readonly #standing = new Map<string, StandingHold>();

  /** Keeps back the answers of a path, or of a whole host. */
  hold(host: string, path?: string): Hold {
    const key = path === undefined ? host : host + path;
    const standing = this.#standing.get(key) ?? newHold();
    this.#standing.set(key, standing);

    return {
      asked: standing.asked,
      heldCount: () => standing.heldCount,
      release: () => {
        if (this.#standing.get(key) === standing) this.#standing.delete(key);
        standing.release();
      },
    };
  }

  /** Calls back at once, or when the holds that stand now over this place are released. */
  afterRelease({ host, path }: Place, ready: () => void): void {
    const standing = [this.#standing.get(host), this.#standing.get(host + path)].filter(
      (hold) => hold !== undefined,
    );
    if (standing.length === 0) {
      ready();
      return;
    }
    for (const hold of standing) {
      hold.heldCount += 1;
      hold.noteAsked();
    }
    void Promise.all(standing.map(({ released }) => released)).then(ready);
  }
}

interface StandingHold {
  readonly asked: Promise<void>;
  readonly noteAsked: () => void;
  readonly released: Promise<void>;
  readonly release: () => void;
  heldCount: number;
}

function newHold(): StandingHold {
  const asked = openPromise();
  const released = openPromise();
  return {
    asked: asked.promise,
    noteAsked: asked.settle,
    released: released.promise,
    release: released.settle,
    heldCount: 0,
  };
}

function openPromise(): { readonly promise: Promise<void>; readonly settle: () => void } {
  let settle = () => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
