import { readFileSync } from 'node:fs';
import type { KeyedCertificate } from '../identity/x509.ts';

/** Name of the device of `former('device')`. */
export const formerUuid = 'ab'.repeat(20);

/** What an installation may have in its database since the days when the service wrote certificates with code of its own. */
export function former(name: 'authority' | 'server' | 'device'): KeyedCertificate {
  const text = readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), 'utf8');
  const at = text.indexOf('-----BEGIN PRIVATE KEY-----');
  return { certificate: text.slice(0, at), key: text.slice(at) };
}
