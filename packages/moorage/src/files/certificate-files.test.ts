import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '@moorage/service/core/certificates/certificates';
import { afterAll, expect, it } from 'vitest';
import { readCertificates } from './certificate-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'moorage-certificates-'));
afterAll(() => rmSync(folder, { recursive: true }));

const none = { deviceCert: undefined, deviceKey: undefined, tlsCert: undefined, tlsKey: undefined };

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const [one, two] = [await makeAuthority(0), await makeAuthority(0)];
const certificate = file('one.crt', one.certificate);
const key = file('one.key', one.key);
const otherKey = file('two.key', two.key);
const text = file('text', 'no PEM');

it('a certificate and its key are read', () => {
  expect(readCertificates({ ...none, deviceCert: certificate, deviceKey: key })).toEqual({ devices: one });
  expect(readCertificates({ ...none, tlsCert: certificate, tlsKey: key })).toEqual({ api: one });
  expect(readCertificates(none)).toEqual({});
});

it.each([
  [join(folder, 'none'), key, /^Setting --device-cert: file ".*none" cannot be read \(ENOENT\)$/],
  [text, key, /^Setting --device-cert: file ".*text" has no certificate in PEM$/],
  [certificate, text, /^Setting --device-key: file ".*text" has no private key without a password in PEM$/],
  [certificate, otherKey, /^The key in ".*two.key" \(--device-key\) is not that of the certificate in ".*one.crt"$/],
])('%s with %s is refused', (deviceCert, deviceKey, message) => {
  expect(() => readCertificates({ ...none, deviceCert, deviceKey })).toThrow(message);
});
