import { addressRefusal, type AddressAllowance } from './address-rules.ts';
import { isBlockedPort } from './blocked-ports.ts';

/** Whether a request may go where it would go: to which addresses, or why not. */
export type Destination =
  | { readonly kind: 'allowed'; readonly addresses: readonly string[] }
  | {
      readonly kind: 'refused';
      readonly reason: 'addressRefused' | 'portRefused';
      readonly detail: string;
    };

/**
 * Judges every address of a host, and the port, before anything is sent (R29). Of many addresses those that may be
 * connected to are left.
 */
export function destinationOf(
  port: number,
  addresses: readonly string[],
  allowance: AddressAllowance,
): Destination {
  if (isBlockedPort(port)) {
    return { kind: 'refused', reason: 'portRefused', detail: `port ${port} is no web server's` };
  }
  const judged = addresses.map((address) => ({
    address,
    refusal: addressRefusal(address, allowance),
  }));
  const allowed = judged.filter(({ refusal }) => refusal === undefined);
  if (allowed.length > 0) {
    return { kind: 'allowed', addresses: allowed.map(({ address }) => address) };
  }
  const detail = judged.map(({ refusal }) => refusal).join('; ') || 'the name has no address';
  return { kind: 'refused', reason: 'addressRefused', detail };
}
