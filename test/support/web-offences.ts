import { DEFAULT_TOLERANCE_MS } from './web-gaps.ts';
import type { Offence, SeenRequest } from './web-requests.ts';

/** Requests of one host that began while another was in flight (R8), paired with each of these. */
export function overlapsIn(sequence: readonly SeenRequest[]): readonly Offence[] {
  const offences: Offence[] = [];
  let inFlight: readonly SeenRequest[] = [];

  for (const request of sequence) {
    inFlight = inFlight.filter(({ ending }) => (ending?.endMs ?? Infinity) > request.startMs);
    for (const earlier of inFlight) {
      const text = `${request.url} asked while ${earlier.path} was in flight`;
      offences.push({ earlier, request, text });
    }
    inFlight = [...inFlight, request];
  }
  return offences;
}

/** Requests of one host before the `Retry-After` of its last 429 or 503 was over (R10). */
export function retryAfterViolationsIn(
  sequence: readonly SeenRequest[],
  toleranceMs: number = DEFAULT_TOLERANCE_MS,
): readonly Offence[] {
  const offences: Offence[] = [];
  let refusal: SeenRequest | undefined;

  for (const request of sequence) {
    const earlyMs = retryAtMs(refusal) - request.startMs;
    if (earlyMs > toleranceMs) {
      const text = `${request.url} asked ${Math.round(earlyMs)} ms before Retry-After was over`;
      offences.push({ earlier: refusal, request, text });
    }
    if (retryAtMs(request) > -Infinity) refusal = request;
  }
  return offences;
}

function retryAtMs(request: SeenRequest | undefined): number {
  const ending = request?.ending;
  return ending?.kind === 'answered' ? (ending.retryAtMs ?? -Infinity) : -Infinity;
}
