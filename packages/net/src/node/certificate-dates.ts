import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, type PeerCertificate, rootCertificates, type TLSSocket } from 'node:tls';
import type { NetFailure } from '../ports.ts';

/** Who judges the dates of certificates instead of the host's clock. */
export interface DateJudge {
  /** Epoch milliseconds; `undefined` judges no dates. */
  readonly nowMs: number | undefined;
  /** Authorities as PEM; those that the host knows without it. */
  readonly ca: string | undefined;
  /** Name or address that the certificate must carry; a client's has none. */
  readonly name?: string;
}

const dateErrors: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** Longest chain that is followed. */
const maxChain = 10;

/** What a certificate may be used for, where it says so. */
const uses = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

const minRsaBits = 2048;

/** Signatures with MD5 and SHA-1, as certificates name them (DER). */
const weakSignatures = ['06092a864886f70d010104', '06092a864886f70d010105', '06072a8648ce3d0401'].map((hex) =>
  Buffer.from(hex, 'hex'),
);

/** What marks an extension as critical (DER), and what may stand before it: constraints, uses, names; and "is an authority". */
const critical = Buffer.from('0101ff', 'hex');
const beforeCritical = ['0603551d13', '0603551d0f', '0603551d25', '0603551d11', '3003', '3006'].map((hex) =>
  Buffer.from(hex, 'hex'),
);

const pemBlocks = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * What is wrong with the peer's certificate by another clock than the host's; `undefined` when nothing is. The socket has
 * been told to accept every peer: what else its library has found wrong counts. Where that is a date alone, it may hide
 * what the library would find besides. Then only a plain certificate counts that a trusted authority has signed itself: a longer
 * chain, and whatever else cannot be judged here for certain, is refused for the date that the library has found.
 */
export function certificateProblem(socket: TLSSocket, judge: DateJudge): NetFailure | undefined {
  const peer = socket.getPeerX509Certificate();
  // Of a session that goes on the certificate has been judged.
  if (!peer) return socket.isSessionReused() ? undefined : problem('peer did not return a certificate');
  const found = String(socket.authorizationError ?? '');
  if (found !== '' && !dateErrors.has(found)) return problem(found);
  if (found === '') return dateProblem(chainOf(peer), judge.nowMs);
  const anchor = anchorsOf(judge.ca).find((one) => isIssuer(one, peer));
  const use = judge.name === undefined ? uses.client : uses.server;
  if (!anchor || ![peer, anchor].every((one) => isPlain(one, use))) return problem(found);
  return identityProblem(socket, judge.name) ?? dateProblem([peer, anchor], judge.nowMs);
}

const problem = (code: string): NetFailure => ({ error: 'tls', detail: code, code });

function chainOf(peer: X509Certificate): readonly X509Certificate[] {
  const chain = [peer];
  for (let next = peer.issuerCertificate; next && chain.length < maxChain; next = next.issuerCertificate) {
    if (next.fingerprint256 === chain.at(-1)?.fingerprint256) break;
    chain.push(next);
  }
  return chain;
}

function dateProblem(chain: readonly X509Certificate[], nowMs: number | undefined): NetFailure | undefined {
  if (nowMs === undefined) return undefined;
  if (chain.some(({ validTo }) => Date.parse(validTo) < nowMs)) return problem('CERT_HAS_EXPIRED');
  return chain.some(({ validFrom }) => Date.parse(validFrom) > nowMs) ? problem('CERT_NOT_YET_VALID') : undefined;
}

function anchorsOf(ca: string | undefined): readonly X509Certificate[] {
  const texts = ca === undefined ? rootCertificates : (ca.match(pemBlocks) ?? []);
  return texts.map((pem) => new X509Certificate(pem));
}

const isIssuer = (anchor: X509Certificate, peer: X509Certificate): boolean =>
  anchor.fingerprint256 === peer.fingerprint256 ||
  (anchor.ca && peer.checkIssued(anchor) && peer.verify(anchor.publicKey));

/** Whether a certificate has a key and a signature as the library asks for, is for that use, and demands nothing unknown. */
function isPlain(certificate: X509Certificate, use: string): boolean {
  const { raw, publicKey } = certificate;
  const bits = publicKey.asymmetricKeyDetails?.modulusLength;
  const isStrong = publicKey.asymmetricKeyType === 'rsa' ? (bits ?? 0) >= minRsaBits : bits === undefined;
  // The types have it as a list that is always there.
  const named = certificate.keyUsage as readonly string[] | undefined;
  const isForIt = named === undefined || named.includes(use);
  return isStrong && isForIt && !weakSignatures.some((one) => raw.includes(one)) && demandsNothingElse(raw);
}

function demandsNothingElse(raw: Buffer): boolean {
  for (let at = raw.indexOf(critical); at >= 0; at = raw.indexOf(critical, at + 1)) {
    if (!beforeCritical.some((known) => raw.subarray(at - known.length, at).equals(known))) return false;
  }
  return true;
}

function identityProblem(socket: TLSSocket, name: string | undefined): NetFailure | undefined {
  if (name === undefined) return undefined;
  const certificate: PeerCertificate = socket.getPeerCertificate(true);
  const wrong = checkServerIdentity(name, certificate);
  return wrong && problem('ERR_TLS_CERT_ALTNAME_INVALID');
}
