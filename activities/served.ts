/**
 * What one turn of a visit came to.
 *
 * - `sent`: a request was sent; the visited host is owed `owedMs`. `durable` marks a backoff, a Retry-After or a rest,
 *   which is the workflow's to wait, never the visit's.
 * - `nothingSent`: the claim was settled or given back without one; the next may follow after `waitMs`.
 */
export type Served =
  | {
      readonly kind: 'sent';
      readonly hostId: number;
      readonly owedMs: number;
      readonly durable: boolean;
    }
  | { readonly kind: 'nothingSent'; readonly waitMs: number };
