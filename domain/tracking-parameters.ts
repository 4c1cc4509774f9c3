/**
 * Query parameters that name the reader's way to a page, and never the page (R21). Lower case; `utm_*` is covered by
 * its prefix. A name belongs here only if no site is known to serve another page for it.
 */
export const TRACKING_PARAMETERS: ReadonlySet<string> = new Set([
  // Click identifiers of advertising networks.
  'dclid',
  'fbclid',
  'gad_campaignid',
  'gad_source',
  'gbraid',
  'gclid',
  'gclsrc',
  'li_fat_id',
  'msclkid',
  'rdt_cid',
  'ttclid',
  'twclid',
  'wbraid',
  'yclid',
  'ysclid',
  // Visitor identifiers that analytics hand from host to host.
  '_ga',
  '_gl',
  '_openstat',
  'igsh',
  'igshid',
  'srsltid',
  // Newsletters and marketing mail.
  '_hsenc',
  '_hsmi',
  'hsctatracking',
  'mc_cid',
  'mc_eid',
  'mkt_tok',
  'oly_anon_id',
  'oly_enc_id',
  'vero_conv',
  'vero_id',
]);
