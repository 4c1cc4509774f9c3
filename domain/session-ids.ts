/** One parameter of a query or of a path's segment, `name` in lower case. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
}

/**
 * Whether a parameter carries a visitor's session and no content (R21). Names that nothing else bears count with any
 * value; names that could mean anything only with a value that looks like one (our choice: where it might be content,
 * two spellings of a page do less harm than one key for two pages).
 */
export function isSessionId({ name, value }: Parameter): boolean {
  if (SURE_NAMES.has(name) || ASP_NAME.test(name)) return true;
  return LIKELY_NAMES.has(name) && looksLikeId(value);
}

/**
 * ColdFusion's pair: `cfid` is a small number that could be anything's, so the two count together only.
 */
export function isColdFusionPair(names: ReadonlySet<string>): boolean {
  return names.has('cfid') && names.has('cftoken');
}

/** Whether a parameter is one half of ColdFusion's pair. */
export function isOfColdFusion(name: string): boolean {
  return name === 'cfid' || name === 'cftoken';
}

/** ASP.NET keeps a cookieless session in a segment of its own: `/(S(…))/`, also with more letters, `/(X(1)S(…))/`. */
export function isSessionSegment(segment: string): boolean {
  return ASP_NET_SEGMENT.test(segment);
}

/** Of Java, PHP, osCommerce and its kin, IIS, SAP, Zend, and some forums. */
const SURE_NAMES: ReadonlySet<string> = new Set([
  'aspxsessionid',
  'jsessionid',
  'mscsid',
  'oscsid',
  'phpsessid',
  'phpsessionid',
  'sap-contextid',
  'xtcsid',
  'zenid',
]);

const LIKELY_NAMES: ReadonlySet<string> = new Set([
  'jsession',
  's',
  'sess',
  'sessid',
  'session',
  'session-id',
  'session_id',
  'sessionid',
  'sid',
]);

/** IIS adds letters that tell its sites apart. */
const ASP_NAME = /^aspsessionid[a-z]{0,16}$/u;

const ASP_NET_SEGMENT = /^(?:\(|%28)(?:[A-Z](?:\(|%28)[\w-]{1,128}(?:\)|%29))+(?:\)|%29)$/iu;

/** Sixteen letters and digits mixed, or a UUID; a word, a plain number and a title with dashes are none. */
function looksLikeId(value: string): boolean {
  if (/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu.test(value)) return true;
  return /^[\da-z]{16,128}$/iu.test(value) && /\d/u.test(value) && /[a-z]/iu.test(value);
}
