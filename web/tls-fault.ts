/** What is wrong with a host's TLS, in plain words; `detail` of a fetch that failed by `tlsFailed`. */
export function tlsFault(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  return FAULTS.get(code) ?? libraryReason(error.message) ?? error.message;
}

/** Codes of OpenSSL's verification and of Node's check of the name. */
const FAULTS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate is by an unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'the certificate is by an unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the certificate is by an unknown authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate is by an unknown authority'],
  ['CERT_REVOKED', 'the certificate is revoked'],
  ['CERT_SIGNATURE_FAILURE', 'the certificate has a bad signature'],
  ['ECONNRESET', 'the connection was closed during the handshake'],
]);

/** OpenSSL's errors are lines such as `140…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:…`. */
function libraryReason(message: string): string | undefined {
  return /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1];
}
