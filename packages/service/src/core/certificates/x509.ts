// The library finds its parts by decorators, which need this first.
import 'reflect-metadata';
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import ipaddr from 'ipaddr.js';

/** What a certificate may be used for. */
export type Purpose =
  | { readonly for: 'authority' }
  | { readonly for: 'server'; readonly hosts: readonly string[] }
  | { readonly for: 'client' };

/** A certificate and its private key, PEM texts. */
export interface KeyedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateOrder {
  readonly commonName: string;
  /** Epoch ms. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly purpose: Purpose;
  /** Key of the certificate (EC P-256). */
  readonly key: KeyObject;
  /** Who signs; the certificate signs itself without one. */
  readonly signer?: KeyedCertificate;
}

const curve = { name: 'ECDSA', namedCurve: 'P-256' } as const;

const extendedUsages = {
  server: x509.ExtendedKeyUsage.serverAuth,
  client: x509.ExtendedKeyUsage.clientAuth,
} as const;

/** Whether a host is an address and not a name. */
export const isAddress = (host: string): boolean => host.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(host);

/** Addresses are written out: the library takes the dotted end of `::ffff:192.0.2.1` for a group. */
const alternativeName = (host: string): x509.JsonGeneralName =>
  isAddress(host) ? { type: 'ip', value: ipaddr.parse(host).toNormalizedString() } : { type: 'dns', value: host };

function purposeExtensions(purpose: Purpose): x509.Extension[] {
  if (purpose.for === 'authority') {
    return [
      // It signs what is used, and no further authorities.
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ];
  }
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([extendedUsages[purpose.for]]),
    ...(purpose.for === 'server' ? [new x509.SubjectAlternativeNameExtension(purpose.hosts.map(alternativeName))] : []),
  ];
}

/**
 * Writes and signs a certificate (X.509 version 3, ECDSA with SHA-256), PEM text. It names its own key and that of its
 * signer: strict clients build no chain without.
 */
export async function writeCertificate(order: CertificateOrder): Promise<string> {
  const { commonName, key, signer } = order;
  const publicKey = new x509.PublicKey(createPublicKey(key).export({ type: 'spki', format: 'der' }));
  const authority = signer && new x509.X509Certificate(signer.certificate);
  const subject = new x509.Name([{ CN: [{ utf8String: commonName }] }]);
  const certificate = await x509.X509CertificateGenerator.create({
    // Positive, and no other certificate has it.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    subject,
    // In the bytes of the authority's own subject: some clients compare them.
    issuer: authority?.subjectName ?? subject,
    notBefore: new Date(order.notBeforeMs),
    notAfter: new Date(order.notAfterMs),
    publicKey,
    signingKey: (signer ? createPrivateKey(signer.key) : key).toCryptoKey(curve, false, ['sign']),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [
      ...purposeExtensions(order.purpose),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(authority?.publicKey ?? publicKey),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}
