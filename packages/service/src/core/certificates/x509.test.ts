import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { former } from '../../testing/former-certificates.ts';
import { testStartMs } from '../../testing/index.ts';
import { makeAuthority, makeDeviceCertificate, makeServerCertificate } from './certificates.ts';

const hosts = ['localhost', 'hub.local', '127.0.0.1', '::1', '2001:db8::a:1', '::ffff:192.0.2.1', 'fe80::'];
const uuid = 'ab'.repeat(20);
const authority = await makeAuthority(testStartMs);
const server = await makeServerCertificate(authority, hosts, testStartMs);
const device = await makeDeviceCertificate(authority, uuid, testStartMs, 365);
const late = await makeDeviceCertificate(former('authority'), uuid, testStartMs, 365);

describe('certificates', () => {
  // API-DEV-identity
  it('say who they are for, by whom and for how long', () => {
    const [ca, leaf, client] = [authority, server, device].map(({ certificate }) => new X509Certificate(certificate));
    expect(ca?.ca).toBe(true);
    expect([leaf?.ca, client?.ca]).toEqual([false, false]);
    expect(client?.subject).toBe(`CN=${uuid}`);
    expect([leaf?.issuer, client?.issuer]).toEqual([ca?.subject, ca?.subject]);
    expect(leaf?.checkIssued(ca as X509Certificate) && client?.checkIssued(ca as X509Certificate)).toBe(true);
    expect(client?.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect([ca, leaf].map((one) => one?.validFromDate.getTime())).toEqual([0, 0]);
    expect(client?.validFromDate.getTime()).toBe(testStartMs - 86_400_000);
    // Past 2050, where certificates write their years in full.
    expect(ca?.validToDate.getUTCFullYear()).toBe(2053);
  });

  it.each(hosts)('of a server hold its name or address %s', (host) => {
    const certificate = new X509Certificate(server.certificate);
    expect(
      host.includes(':') || /^\d/.test(host) ? certificate.checkIP(host) : certificate.checkHost(host),
    ).toBeTruthy();
  });

  it('have numbers of their own', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, () => makeDeviceCertificate(authority, uuid, testStartMs, 365)),
    );
    const serials = made.map(({ certificate }) => new X509Certificate(certificate).serialNumber);
    expect(new Set(serials).size).toBe(20);
    expect(serials.every((serial) => serial.length === 32)).toBe(true);
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!hasOpenssl)(
  'certificates before a strict judge (the program openssl; skipped where it is absent)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'moorage-x509-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const ca = file('ca.pem', authority.certificate);
    const openssl = (...words: string[]) => execFileSync('openssl', words, { encoding: 'utf8', stdio: 'pipe' });

    it.each([
      ['sslserver', server.certificate],
      ['sslclient', device.certificate],
    ])('are good for %s', (purpose, certificate) => {
      const at = String(Math.floor(testStartMs / 1000));
      const path = file(`${purpose}.pem`, certificate);
      const verify = [
        'verify',
        '-x509_strict',
        '-check_ss_sig',
        '-attime',
        at,
        '-purpose',
        purpose,
        '-CAfile',
        ca,
        path,
      ];
      expect(openssl(...verify)).toBe(`${path}: OK\n`);
    });

    it.each([
      ['by the writer of before', former('device').certificate],
      ['by the one of now', late.certificate],
    ])('of an authority of before are good when made %s', (_, certificate) => {
      const [path, trusted] = [file('leaf.pem', certificate), file('former.pem', former('authority').certificate)];
      const at = String(Math.floor(testStartMs / 1000));
      const strictly = ['-x509_strict', '-check_ss_sig', '-attime', at, '-purpose', 'sslclient'];
      expect(openssl('verify', ...strictly, '-CAfile', trusted, path)).toBe(`${path}: OK\n`);
    });

    it('name their own key and that of their signer', () => {
      const textOf = (certificate: string) => openssl('x509', '-noout', '-text', '-in', file('one.pem', certificate));
      const keyOf = (text: string, kind: string) =>
        new RegExp(`X509v3 ${kind} Key Identifier: *\\n *(?:keyid:)?([0-9A-F:]{59})`).exec(text)?.[1];
      const own = keyOf(textOf(authority.certificate), 'Subject');
      expect(own).toMatch(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/);
      for (const { certificate } of [authority, server, device]) {
        expect(keyOf(textOf(certificate), 'Authority')).toBe(own);
      }
      expect(keyOf(textOf(device.certificate), 'Subject')).not.toBe(own);
    });
  },
);
