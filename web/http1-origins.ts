/** Origins that chose HTTP/2 and then asked for HTTP/1.1, the one that insisted last at the end. */
export type Http1Origins = Set<string>;

/** The most that are remembered; one that is forgotten is offered HTTP/2 once more. Our choice. */
const MAX_ORIGINS = 10_000;

/** Remembers an origin, in place of the oldest where there are too many. */
export function addOrigin(origins: Http1Origins, origin: string): void {
  origins.add(origin);
  const [oldest] = origins;
  if (origins.size > MAX_ORIGINS && oldest !== undefined) origins.delete(oldest);
}
