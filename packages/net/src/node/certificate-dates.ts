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

const serverUse = '1.3.6.1.5.5.7.3.1';

const pemBlocks = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * What is wrong with the peer's certificate by another clock than the host's; `undefined` when nothing is. The socket has
 * been told to accept every peer: what else its library has found wrong counts. Where that is a date alone, it may hide
 * other faults, and the chain is followed anew.
 */
export function certificateProblem(socket: TLSSocket, judge: DateJudge): NetFailure | undefined {
  const peer = socket.getPeerX509Certificate();
  // Of a session that goes on the certificate has been judged.
  if (!peer) return socket.isSessionReused() ? undefined : problem('peer did not return a certificate');
  const found = String(socket.authorizationError ?? '');
  if (found !== '' && !dateErrors.has(found)) return problem(found);
  const sent = chainOf(peer);
  if (found === '') return dateProblem(sent, judge.nowMs);
  const trusted = trustedChain(sent, anchorsOf(judge.ca));
  if (!trusted) return problem('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  return identityProblem(socket, peer, judge.name) ?? dateProblem(trusted, judge.nowMs);
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

/** The certificates from the peer's to a trusted one; `undefined` when none leads there. */
function trustedChain(
  sent: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
): readonly X509Certificate[] | undefined {
  const chain: X509Certificate[] = [];
  for (let last = sent[0]; last && chain.length < maxChain; ) {
    const current = last;
    chain.push(current);
    if (anchors.some(({ fingerprint256 }) => fingerprint256 === current.fingerprint256)) return chain;
    const hasSigned = (issuer: X509Certificate): boolean =>
      issuer.ca && current.checkIssued(issuer) && current.verify(issuer.publicKey);
    const anchor = anchors.find(hasSigned);
    if (anchor) return [...chain, anchor];
    last = sent.find((issuer) => !chain.includes(issuer) && hasSigned(issuer));
  }
  return undefined;
}

function identityProblem(socket: TLSSocket, peer: X509Certificate, name: string | undefined): NetFailure | undefined {
  if (name === undefined) return undefined;
  // The types have it as a list that is always there.
  const uses = peer.keyUsage as readonly string[] | undefined;
  if (uses && !uses.includes(serverUse)) return problem('INVALID_PURPOSE');
  const certificate: PeerCertificate = socket.getPeerCertificate(true);
  const wrong = checkServerIdentity(name, certificate);
  return wrong && problem('ERR_TLS_CERT_ALTNAME_INVALID');
}
