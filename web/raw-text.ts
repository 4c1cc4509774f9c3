/** Elements that hold text and no tags (HTML §13.2.6.4), and what ends each; `plaintext` nothing ends. */
const ENDS: ReadonlyMap<string, RegExp> = new Map(
  ['iframe', 'noembed', 'noframes', 'style', 'textarea', 'title', 'xmp'].map((name) => [
    name,
    new RegExp(String.raw`</${name}(?=[\t\n\f\r />])`, 'gi'),
  ]),
);

/** Whether all up to an element's own closing tag is text. */
export function isRawText(name: string): boolean {
  return ENDS.has(name) || name === 'script' || name === 'plaintext';
}

/** Where the text of such an element ends: at its closing tag, or with the page. */
export function endOfRawText(name: string, html: string, start: number): number {
  if (name === 'script') return endOfScript(html, start);
  const end = ENDS.get(name);
  return end === undefined ? html.length : (find(end, html, start)?.index ?? html.length);
}

/** Behind the comment whose text begins here (HTML §13.2.5.43); `<!-->` and `<!--->` are comments too. */
export function endOfComment(html: string, start: number): number {
  if (html.startsWith('>', start)) return start + 1;
  if (html.startsWith('->', start)) return start + 2;
  const end = find(/--!?>/g, html, start);
  return end === undefined ? html.length : end.index + end[0].length;
}

/** A script inside a comment inside a script: its closing tag ends itself only (HTML §13.2.5.25 and following). */
function endOfScript(html: string, start: number): number {
  let [at, isCommented, isNested] = [start, false, false];
  for (;;) {
    const mark = find(/<!--|-->|<\/?script(?=[\t\n\f\r />])/gi, html, at);
    if (mark === undefined) return html.length;
    const [text] = mark;
    at = mark.index + text.length;
    if (text === '-->') [isCommented, isNested] = [false, false];
    else if (text === '<!--') {
      if (!isCommented) at -= 2;
      isCommented = true;
    } else if (!text.startsWith('</')) isNested = isCommented;
    else if (isNested) isNested = false;
    else return mark.index;
  }
}

function find(pattern: RegExp, html: string, from: number): RegExpExecArray | undefined {
  pattern.lastIndex = from;
  return pattern.exec(html) ?? undefined;
}
