/**
 * The addresses of a `srcset`, as written (HTML §4.8.4.3.10): each reaches to a blank; a comma at its end, or after what
 * is said of its size, parts it from the next.
 */
export function addressesOf(srcset: string): readonly string[] {
  const addresses: string[] = [];
  let at = 0;
  for (;;) {
    at = skip(srcset, at, (character) => character === ',' || isBlank(character));
    if (at >= srcset.length) return addresses;
    const end = skip(srcset, at, (character) => !isBlank(character));
    const written = srcset.slice(at, end);
    const address = written.replace(/,+$/u, '');
    if (address !== '') addresses.push(address);
    at = address.length < written.length ? end : endOfDescriptors(srcset, end);
  }
}

/** Commas in brackets part nothing. */
function endOfDescriptors(srcset: string, from: number): number {
  let isInBrackets = false;
  return skip(srcset, from, (character) => {
    if (character === '(') isInBrackets = true;
    else if (character === ')') isInBrackets = false;
    return isInBrackets || character !== ',';
  });
}

function skip(text: string, from: number, isSkipped: (character: string) => boolean): number {
  let at = from;
  while (at < text.length && isSkipped(text.charAt(at))) at += 1;
  return at;
}

function isBlank(character: string): boolean {
  return character === ' ' || (character >= '\t' && character <= '\r' && character !== '\v');
}
