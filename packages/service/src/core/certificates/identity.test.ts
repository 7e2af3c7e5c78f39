import { X509Certificate } from 'node:crypto';
import { dayMs, VirtualClock } from '@moorage/base';
import { expect, it } from 'vitest';
import { former, keepFormer } from '../../testing/former-certificates.ts';
import { eachEmptyDatabase, testStartMs } from '../../testing/index.ts';
import { fingerprintOf, timeTrouble, validityDays } from './certificates.ts';
import { type Identity, openIdentity } from './identity.ts';
import { ticketRotationMs } from './tickets.ts';

const uuid = 'ab'.repeat(20);

eachEmptyDatabase('identity', (open) => {
  it('identity is made on the first run and found again on the next', async () => {
    const storage = await open();
    const clock = new VirtualClock(testStartMs);
    const first = await openIdentity(storage, clock, 10_950);
    const second = await openIdentity(storage, clock, 10_950);
    expect(second.ca).toBe(first.ca);
    expect(second.server).toEqual(first.server);
    expect(new X509Certificate(first.ca).ca).toBe(true);
  });

  it('processes that start at once on an empty database agree on one authority', async () => {
    const storage = await open();
    const clock = new VirtualClock(testStartMs);
    const all = await Promise.all(Array.from({ length: 5 }, () => openIdentity(storage, clock, 10_950)));
    expect(new Set(all.map(({ ca }) => ca)).size).toBe(1);
    for (const { ca, server } of all) {
      expect(new X509Certificate(server.certificate).verify(new X509Certificate(ca).publicKey)).toBe(true);
    }
  });

  it('server certificate serves localhost and the hosts it is opened for, and is made again for new ones', async () => {
    const storage = await open();
    const clock = new VirtualClock(testStartMs);
    const plain = new X509Certificate((await openIdentity(storage, clock, 10_950)).server.certificate);
    for (const address of ['127.0.0.1', '::1']) expect(plain.checkIP(address)).toBe(address);
    expect(plain.checkHost('localhost')).toBe('localhost');
    expect(plain.checkHost('hub.local')).toBeUndefined();
    const wider = await openIdentity(storage, clock, 10_950, ['hub.local', '192.0.2.7']);
    const certificate = new X509Certificate(wider.server.certificate);
    expect([certificate.checkHost('hub.local'), certificate.checkIP('192.0.2.7')]).toEqual(['hub.local', '192.0.2.7']);
    // Fewer hosts are no reason for another one.
    expect((await openIdentity(storage, clock, 10_950)).server).toEqual(wider.server);
  });

  it('server certificate of an address with a zone is found again, and holds the address without it', async () => {
    const storage = await open();
    const start = () => openIdentity(storage, new VirtualClock(testStartMs), 10_950, ['fe80::1%eth0']);
    const first = await start();
    expect(first.hosts).toContain('fe80::1');
    expect(new X509Certificate(first.server.certificate).checkIP('fe80::1')).toBe('fe80::1');
    expect((await start()).server).toEqual(first.server);
  });

  it('server certificates of processes on machines of other names stay side by side', async () => {
    const storage = await open();
    const start = (host: string) => openIdentity(storage, new VirtualClock(testStartMs), 10_950, [host]);
    const [one, two] = [await start('one.example'), await start('two.example')];
    expect((await start('one.example')).server).toEqual(one.server);
    expect((await start('two.example')).server).toEqual(two.server);
  });

  it('server certificates are kept for the last 32 machines', async () => {
    const storage = await open();
    const clock = new VirtualClock(testStartMs);
    const start = async (host: string) => (await openIdentity(storage, clock, 10_950, [host])).server;
    const first = await start('first.example');
    for (let count = 0; count < 32; count++) {
      await clock.advance(60_000);
      await start(`other-${count}.example`);
    }
    expect(await start('first.example')).not.toEqual(first);
    const rows = await storage.db
      .selectFrom('settings')
      .select('name')
      .where('name', 'like', 'identity.server%')
      .execute();
    expect(rows).toHaveLength(32);
  });

  it('key of session tickets is the same for all nodes, and after a day another one', async () => {
    const storage = await open();
    const clock = new VirtualClock(testStartMs);
    const start = () => openIdentity(storage, clock, 10_950);
    const nodes = await Promise.all([start(), start(), start()]);
    const keys = () => new Set(nodes.map(({ tickets }) => tickets.toString('hex')));
    const [first] = keys();
    expect([keys().size, nodes[0]?.tickets.length]).toEqual([1, 48]);
    let changes = 0;
    nodes[1]?.onChange(() => changes++);
    const refresh = () => Promise.all(nodes.map((node) => node.refresh()));
    await clock.advance(ticketRotationMs - 1);
    await refresh();
    expect([...keys(), changes]).toEqual([first, 0]);
    await clock.advance(1);
    await refresh();
    expect([keys().size, keys().has(first ?? ''), changes]).toEqual([1, false, 1]);
  });

  it('server certificate is renewed at start when a year or less is left of it', async () => {
    const storage = await open();
    const at = (days: number) => new VirtualClock(testStartMs + days * dayMs);
    const first = await openIdentity(storage, at(0), 10_950);
    const early = await openIdentity(storage, at(validityDays.server - 366), 10_950);
    const late = await openIdentity(storage, at(validityDays.server - 364), 10_950);
    expect(early.server).toEqual(first.server);
    expect(late.server).not.toEqual(first.server);
    expect(late.ca).toBe(first.ca);
  });

  it.each([
    [400, 0],
    [0, 8000],
  ])(
    'a start %d days ahead, then one %d days, then one at the right time leave a listener that devices trust, at 1970 too',
    async (one, two) => {
      const storage = await open();
      let identity: Identity | undefined;
      for (const days of [one, two, 0])
        identity = await openIdentity(storage, new VirtualClock(testStartMs + days * dayMs), 10_950);
      for (const certificate of [identity?.ca ?? '', identity?.server.certificate ?? '']) {
        for (const atMs of [0, testStartMs - 2 * dayMs, testStartMs, testStartMs + 365 * dayMs])
          expect(timeTrouble(certificate, atMs)).toBeUndefined();
      }
      expect(identity?.trouble()).toBeUndefined();
    },
  );

  it('server certificate that is not valid yet is made anew; such an authority stays, and is named', async () => {
    const storage = await open();
    await keepFormer(storage);
    const identity = await openIdentity(storage, new VirtualClock(testStartMs - 400 * dayMs), 10_950);
    expect(identity.ca).toBe(former('authority').certificate);
    expect(identity.server).not.toEqual(former('server'));
    expect(identity.trouble()).toMatch(
      /^The authority of this installation is not valid before 2023-11-13T22:13:20.000Z; /,
    );
  });

  // API-DEV-identity
  it('device certificate names the device, is signed by the authority and differs each time', async () => {
    const identity = await openIdentity(await open(), new VirtualClock(testStartMs), 10_950);
    const [one, two] = [await identity.issueDeviceCertificate(uuid), await identity.issueDeviceCertificate(uuid)];
    const certificate = new X509Certificate(one.certificate);
    expect(certificate.subject).toBe(`CN=${uuid}`);
    expect(certificate.verify(new X509Certificate(identity.ca).publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.validFromDate.getTime()).toBeLessThan(testStartMs);
    expect(certificate.validToDate.getTime()).toBeGreaterThan(testStartMs + 25 * 365 * dayMs);
    expect(one.fingerprint).toBe(fingerprintOf(one.certificate));
    expect(one.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(one.fingerprint).not.toBe(two.fingerprint);
  });
});
