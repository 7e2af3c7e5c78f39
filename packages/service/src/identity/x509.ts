import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { bits, der, integer, objectId, octets, readAll, sequence, set, time, utf8, yes } from './der.ts';

/** What a certificate may be used for. */
export type Purpose =
  | { readonly for: 'authority' }
  | { readonly for: 'server'; readonly hosts: readonly string[] }
  | { readonly for: 'client' };

export interface CertificateOrder {
  readonly commonName: string;
  /** Epoch ms. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly purpose: Purpose;
  /** Key of the certificate (EC P-256). */
  readonly key: KeyObject;
  /** Who signs, PEM texts; the certificate signs itself without one. */
  readonly signer?: { readonly certificate: string; readonly key: string };
}

const ids = {
  commonName: objectId('2.5.4.3'),
  ecdsaSha256: sequence(objectId('1.2.840.10045.4.3.2')),
  basicConstraints: objectId('2.5.29.19'),
  keyUsage: objectId('2.5.29.15'),
  extKeyUsage: objectId('2.5.29.37'),
  subjectAltName: objectId('2.5.29.17'),
  subjectKeyId: objectId('2.5.29.14'),
  authorityKeyId: objectId('2.5.29.35'),
  serverAuth: objectId('1.3.6.1.5.5.7.3.1'),
  clientAuth: objectId('1.3.6.1.5.5.7.3.2'),
} as const;

const critical = (id: Buffer, value: Buffer): Buffer => sequence(id, yes, octets(value));
const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, octets(value));

const digitalSignature = bits(Buffer.from([0x80]), 7);
const keyCertSignAndCrlSign = bits(Buffer.from([0x06]), 1);

/** Whether a host is an address and not a name. */
export const isAddress = (host: string): boolean => host.includes(':') || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);

/** An address as a certificate holds it: 4 or 16 bytes. */
function addressBytes(host: string): Buffer {
  if (!host.includes(':')) return Buffer.from(host.split('.').map(Number));
  // The URL parser writes out what may be left out: `::1`, `::ffff:192.0.2.1`.
  const [head = '', tail] = new URL(`http://[${host.replace(/%.*/, '')}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

const alternativeName = (host: string): Buffer =>
  isAddress(host) ? der(0x87, addressBytes(host)) : der(0x82, Buffer.from(host));

function purposeExtensions(purpose: Purpose): Buffer[] {
  if (purpose.for === 'authority') {
    return [
      // It signs what is used, and no further authorities.
      critical(ids.basicConstraints, sequence(yes, integer(Buffer.from([0])))),
      critical(ids.keyUsage, keyCertSignAndCrlSign),
    ];
  }
  const isServer = purpose.for === 'server';
  return [
    critical(ids.basicConstraints, sequence()),
    critical(ids.keyUsage, digitalSignature),
    extension(ids.extKeyUsage, sequence(isServer ? ids.serverAuth : ids.clientAuth)),
    ...(isServer ? [extension(ids.subjectAltName, sequence(...purpose.hosts.map(alternativeName)))] : []),
  ];
}

const spkiOf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });

/** Name of a key: SHA-1 of its bits, as most authorities make it (RFC 5280, 4.2.1.2). */
function keyIdOf(spki: Buffer): Buffer {
  const [, keyBits] = readAll(readAll(spki)[0]?.contents ?? spki);
  return createHash('sha1')
    .update(keyBits?.contents.subarray(1) ?? spki)
    .digest();
}

/** The subject of a certificate in its own bytes: whoever it signs has to repeat them. */
function subjectOf(certificate: X509Certificate): Buffer {
  const [body] = readAll(readAll(certificate.raw)[0]?.contents ?? certificate.raw);
  // Version, serial number, algorithm, issuer, validity, subject.
  const subject = body && readAll(body.contents)[5];
  if (!subject) throw new Error('The certificate of the authority cannot be read');
  return subject.whole;
}

/** A positive number that no other certificate has. */
const serialNumber = (): Buffer => integer(Buffer.concat([Buffer.from([0x01]), randomBytes(15)]));

const pem = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;

/**
 * Writes and signs a certificate (X.509 version 3, ECDSA with SHA-256), PEM text. It names its own key and that of its
 * signer: strict clients build no chain without.
 */
export function writeCertificate(order: CertificateOrder): string {
  const { commonName, purpose, key, signer } = order;
  const name = sequence(set(sequence(ids.commonName, utf8(commonName))));
  const spki = spkiOf(key);
  const authority = signer && new X509Certificate(signer.certificate);
  const authorityKey = authority ? authority.publicKey.export({ type: 'spki', format: 'der' }) : spki;
  const extensions = [
    ...purposeExtensions(purpose),
    extension(ids.subjectKeyId, octets(keyIdOf(spki))),
    extension(ids.authorityKeyId, sequence(der(0x80, keyIdOf(authorityKey)))),
  ];
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    serialNumber(),
    ids.ecdsaSha256,
    authority ? subjectOf(authority) : name,
    sequence(time(order.notBeforeMs), time(order.notAfterMs)),
    name,
    spki,
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, signer ? createPrivateKey(signer.key) : key);
  return pem(sequence(body, ids.ecdsaSha256, bits(signature)));
}
