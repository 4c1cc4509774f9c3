/**
 * Where a refresh leads, in a `meta` tag or a header of this name (HTML §4.2.5.3): `5; url='next.html'`, a reference as
 * written. `undefined` where it only reloads the page.
 */
export function refreshTarget(content: string): string | undefined {
  const rest = /^[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(\S.*)$/isu.exec(content.trim())?.[1];
  if (rest === undefined) return undefined;
  // In quotes it ends at the closing one, whatever follows; without a closing one, at the end.
  const [, quote, quoted] = /^(["'])(.*)$/su.exec(rest) ?? [];
  if (quote === undefined || quoted === undefined) return rest;
  const end = quoted.indexOf(quote);
  return end < 0 ? quoted : quoted.slice(0, end);
}
