import { readFileSync } from 'node:fs';
import { fingerprintOf } from '../core/certificates/certificates.ts';
import { insertAuthority, replaceSetting } from '../core/certificates/queries.ts';
import type { KeyedCertificate } from '../core/certificates/x509.ts';
import type { Storage } from '../engine/db/storage.ts';

/** Name of the device of `former('device')`. */
export const formerUuid = 'ab'.repeat(20);

/** What an installation may have in its database since the days when the service wrote certificates with code of its own. */
export function former(name: 'authority' | 'server' | 'device'): KeyedCertificate {
  const text = readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), 'utf8');
  const at = text.indexOf('-----BEGIN PRIVATE KEY-----');
  return { certificate: text.slice(0, at), key: text.slice(at) };
}

/** Puts authority and server certificate of that time into the records. */
export async function keepFormer(storage: Storage): Promise<void> {
  const { certificate, key } = former('authority');
  const row = { certificate, private_key: key, state: 'active', created_at: 0, changed_at: 0 } as const;
  await storage.transaction(async (trx) => {
    await insertAuthority(trx, { ...row, fingerprint: fingerprintOf(certificate) });
    await replaceSetting(trx, 'identity.server', JSON.stringify(former('server')));
  });
}
