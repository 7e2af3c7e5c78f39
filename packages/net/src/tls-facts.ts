import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { NetFailure } from './ports.ts';

/** Whether a certificate and a private key, both PEM, belong together. */
export function isPair(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/**
 * What the firmware calls failures of a handshake, by what the host's TLS library says of them; the first that fits.
 * 5035 is documented, the others are the rows around it in the public result list of that TLS stack.
 */
const numbers: readonly (readonly [pattern: RegExp, number: number])[] = [
  // The certificate of the peer: for another name, out of its time, revoked, or of an authority that is not trusted.
  [/ALTNAME_INVALID|does not match certificate/i, 5037],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|certificate has expired|not yet valid/i, 5036],
  [/CERT_REVOKED|certificate revoked/i, 5041],
  [/peer did not return a certificate/i, 5012],
  [/SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED|CERT_REJECTED|INVALID_CA|INVALID_PURPOSE|CERT_SIGNATURE_FAILURE/, 5035],
  [/self[- ]signed|unable to (get|verify)|certificate verify failed|unsuitable certificate/i, 5035],
  // What the peer said of ours, or of the server's name.
  [/alert.unrecognized.name/i, 5045],
  [/\balert\b|_ALERT_/i, 5018],
  // Before there was a certificate.
  [/no.shared.cipher|no.suitable/i, 5010],
  [/wrong.version.number|http.request|packet.length|record.layer|unknown.protocol/i, 5007],
  [/unsupported.protocol|protocol.version/i, 5022],
  [/bad.record.mac|decryption.failed/i, 5006],
  // A certificate, key or authority of ours that cannot be read.
  [/PEM|ASN1|X509 lib|key values mismatch/i, 5033],
];

const silent = 5031;
const cut = 5001;
const otherwise = 5032;

/** Number of a failed TLS handshake as the firmware's log lines have it. Reference: network 6.4. */
export function tlsErrorNumber({ error, detail, code = '' }: NetFailure): number {
  const known = numbers.find(([pattern]) => pattern.test(code) || pattern.test(detail));
  if (known) return known[1];
  if (error === 'timeout') return silent;
  return error === 'reset' ? cut : otherwise;
}
