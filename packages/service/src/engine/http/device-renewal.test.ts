import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { hourMs, unwrap } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprintOf, makeAuthority, makeDeviceCertificate } from '../../core/certificates/certificates.ts';
import { openRecords } from '../../tables.ts';
import { former, formerUuid, keepFormer } from '../../testing/former-certificates.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';
import { type TlsCredentials, type TlsDevices, tlsDevices } from '../../testing/tls-devices.ts';

eachDatabase('certificates of devices', (_open, kind, address) => {
  let database: string;
  let app: TestApp;
  let devices: TlsDevices;
  let owner: MadeUser;

  beforeAll(async () => {
    database = await address();
    app = await buildApp(await openRecords(database));
    devices = await tlsDevices(app);
    owner = await app.make.user();
  });
  afterAll(async () => {
    devices.close();
    await app.service.close();
    await app.storage.close();
  });

  // The replies are those of the contract, which the endpoint's own schema has checked.
  const credentialsOf = (reply: object) => reply as unknown as TlsCredentials & { readonly uuid: string };
  const logsOf = async (id: string, type: string) =>
    (
      await app.storage.db
        .selectFrom('logs')
        .select('message')
        .where('device_id', '=', id)
        .where('type', '=', type)
        .execute()
    ).map(({ message }) => message);

  /** A connection on which a device has been answered. */
  async function speaking(credentials: TlsCredentials, port = devices.port) {
    const socket = await openTls(port, app.service.identity.ca, credentials);
    socket.write('GET /info HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(String(await once(socket, 'data'))).toContain('200 OK');
    return socket;
  }

  /** The same, in the middle of its next request: an idle one the server would close by itself before long. */
  async function speakingOn(credentials: TlsCredentials, port?: number) {
    const socket = await speaking(credentials, port);
    const body = 'content-type: application/json\r\ncontent-length: 2\r\nexpect: 100-continue';
    socket.write(`POST /ota HTTP/1.1\r\nhost: x\r\n${body}\r\n\r\n`);
    // Now the service looks at it, and waits for the body.
    expect(String(await once(socket, 'data'))).toContain('100 Continue');
    return socket;
  }

  // API-DEV-POST-certificate, API-DEV-renewal
  describe('renewal', () => {
    it('leaves the old one good until the new one acknowledges itself; then only the new one is', async () => {
      const { row, agent } = await devices.deviceOf();
      const reply = await devices.call(agent, 'POST', '/certificate');
      expect(reply).toMatchObject({ status: 200, uuid: row.uuid, ca: app.service.identity.ca });
      const renewed = devices.agentFor(credentialsOf(reply));
      for (const one of [agent, renewed, agent]) {
        expect(await devices.call(one, 'GET', '/info')).toMatchObject({ status: 200, uuid: row.uuid });
      }
      // What the old one acknowledges is itself: nothing changes.
      expect(await devices.call(agent, 'PUT', '/provision')).toMatchObject({ status: 200 });
      expect(await devices.call(renewed, 'GET', '/info')).toMatchObject({ status: 200 });
      // The reply may be lost: acknowledging twice is as good as once.
      for (let time = 0; time < 2; time++) {
        expect(await devices.call(renewed, 'PUT', '/provision')).toEqual({ status: 200, result: 'ok' });
      }
      expect(await devices.call(renewed, 'GET', '/info')).toMatchObject({ status: 200 });
      expect(await app.storage.hot.deviceById(row.id)).toMatchObject({ next_fingerprint: null });
      expect(await logsOf(row.id, 'device.certificate')).toEqual(['New certificate issued', 'Certificate renewed']);
    });

    it('may be asked for again when the reply was lost, but not by one that is new itself', async () => {
      const { agent } = await devices.deviceOf();
      const lost = devices.agentFor(credentialsOf(await devices.call(agent, 'POST', '/certificate')));
      const renewed = devices.agentFor(credentialsOf(await devices.call(agent, 'POST', '/certificate')));
      expect(await devices.call(lost, 'GET', '/info')).toMatchObject({ status: 403, code: 'DEVICE_NOT_IDENTIFIED' });
      expect(await devices.call(renewed, 'POST', '/certificate')).toMatchObject({ status: 400, code: 'RENEWAL_OPEN' });
      expect(await devices.call(renewed, 'PUT', '/provision')).toMatchObject({ status: 200 });
      expect(await devices.call(renewed, 'POST', '/certificate')).toMatchObject({ status: 200 });
    });

    it('ends the connections of the old one, and no others', async () => {
      const { agent, issued } = await devices.deviceOf();
      const fresh = credentialsOf(await devices.call(agent, 'POST', '/certificate'));
      const [old, renewed] = [await speakingOn(issued), await speaking(fresh)];
      const closed = endOf(old);
      renewed.write('PUT /provision HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
      expect(String(await once(renewed, 'data'))).toContain('200 OK');
      await closed;
      renewed.write('GET /info HTTP/1.1\r\nhost: x\r\n\r\n');
      expect(String(await once(renewed, 'data'))).toContain('200 OK');
      renewed.destroy();
    });

    it('needs a good certificate', async () => {
      expect(await devices.call(devices.agentFor(), 'POST', '/certificate')).toMatchObject({
        status: 403,
        code: 'DEVICE_NOT_IDENTIFIED',
      });
      const { agent } = await devices.deviceOf({ state: 'disabled' });
      expect(await devices.call(agent, 'POST', '/certificate')).toMatchObject({ status: 403, code: 'DEVICE_DISABLED' });
    });
  });

  // API-DEV-clone
  it('a copy of the old one is refused after the renewal, and logged, once an hour', async () => {
    const { row, agent, issued } = await devices.deviceOf();
    const renewed = devices.agentFor(credentialsOf(await devices.call(agent, 'POST', '/certificate')));
    await devices.call(renewed, 'PUT', '/provision');
    const copy = devices.agentFor(issued);
    for (let time = 0; time < 3; time++) {
      expect(await devices.call(copy, 'POST', '/ota', {})).toMatchObject({ status: 403, code: 'CERTIFICATE_REPLACED' });
    }
    expect(await logsOf(row.id, 'device.cloned')).toHaveLength(1);
    await app.clock.skip(3_600_001);
    await devices.call(copy, 'GET', '/info');
    expect(await logsOf(row.id, 'device.cloned')).toHaveLength(2);
    expect(await devices.call(renewed, 'GET', '/info')).toMatchObject({ status: 200 });
  });

  it('one from before a new provisioning is such a copy, too', async () => {
    const { row, agent, issued } = await devices.deviceOf({ user_id: owner.id });
    await devices.call(agent, 'GET', '/info');
    const params = { device_id: row.id };
    expect((await app.client.as(owner.token).call('devices.renewToken', { params })).ok).toBe(true);
    expect(await devices.call(devices.agentFor(issued), 'GET', '/info')).toMatchObject({
      code: 'CERTIFICATE_REPLACED',
    });
    expect(await logsOf(row.id, 'device.cloned')).toHaveLength(1);
  });

  it('of an installation from before go on, and are renewed', async () => {
    const storage = await openRecords('sqlite::memory:');
    await keepFormer(storage);
    const later = await buildApp(storage);
    const { ca, server } = later.service.identity;
    expect([ca, server]).toEqual([former('authority').certificate, former('server')]);
    const there = await tlsDevices(later);
    await there.deviceOf({ uuid: formerUuid, certificate_fingerprint: fingerprintOf(former('device').certificate) });
    const renewed = credentialsOf(await there.call(there.agentFor(former('device')), 'POST', '/certificate'));
    for (const step of ['PUT /provision', 'GET /info']) {
      const [method = '', path = ''] = step.split(' ');
      expect(await there.call(there.agentFor(renewed), method, path)).toMatchObject({ status: 200 });
    }
    there.close();
    await later.service.close();
    await storage.close();
  });

  // API-DEV-early
  it('made while the clock of the service was ahead are taken, and renewed', async () => {
    const startMs = Date.now();
    const storage = await openRecords(database);
    const [ahead, right] = [
      await buildApp(storage, { startMs: startMs + 400 * 24 * hourMs }),
      await buildApp(storage, { startMs }),
    ];
    const there = await tlsDevices(right, devices.platform);
    const uuid = 'c'.repeat(40);
    const issued = await ahead.service.identity.issueDeviceCertificate(uuid);
    const { row } = await there.deviceOf({ uuid, certificate_fingerprint: issued.fingerprint });
    await ahead.service.close();
    const agent = there.agentFor(issued);
    expect(await there.call(agent, 'GET', '/info')).toMatchObject({ status: 200, uuid, renewal: 'due' });
    const renewed = credentialsOf(await there.call(agent, 'POST', '/certificate'));
    const now = there.agentFor(renewed);
    expect(await there.call(now, 'PUT', '/provision')).toMatchObject({ status: 200 });
    expect(await there.call(now, 'GET', '/info')).not.toHaveProperty('renewal');
    expect(await there.call(agent, 'GET', '/info').catch(() => ({ status: 0 }))).not.toMatchObject({ status: 200 });
    // One that no authority of ours has signed is no better for being early.
    const foreign = await makeAuthority(startMs);
    const forged = await makeDeviceCertificate(foreign, row.uuid, startMs + 400 * 24 * hourMs, 365);
    const refused = await there.call(there.agentFor(forged), 'GET', '/info');
    expect(refused).toMatchObject({ status: 403, code: 'DEVICE_NOT_IDENTIFIED' });
    there.close();
    await right.service.close();
    await storage.close();
  });

  // API-DEV-expiry
  it('that expires while its connection is open is refused from then on', async () => {
    // Node checks a certificate when a connection opens, with the clock of the host: there it has an hour left.
    const storage = await openRecords(database);
    const startMs = Date.now();
    const settings = { deviceCertificateDays: 1 };
    const earlier = await buildApp(storage, { startMs: startMs - 23 * hourMs, settings });
    const later = await buildApp(storage, { startMs, settings });
    const uuid = 'd'.repeat(40);
    const issued = await earlier.service.identity.issueDeviceCertificate(uuid);
    await earlier.service.close();
    const there = await tlsDevices(later, devices.platform);
    await there.deviceOf({ uuid, certificate_fingerprint: issued.fingerprint });
    const agent = there.agentFor(issued);
    expect(await there.call(agent, 'GET', '/info')).toMatchObject({ status: 200 });
    await later.clock.skip(hourMs + 1_000);
    expect(await there.call(agent, 'GET', '/info')).toMatchObject({ status: 403, code: 'CERTIFICATE_EXPIRED' });
    there.close();
    await later.service.close();
    await storage.close();
  });

  it('that has expired is refused with that reason', async () => {
    const storage = await openRecords(database);
    const { identity } = app.service;
    const expired = await buildApp(storage, { settings: { deviceCertificateDays: 1 } });
    expect(expired.service.identity.ca).toBe(identity.ca);
    const uuid = 'e'.repeat(40);
    const issued = await expired.service.identity.issueDeviceCertificate(uuid);
    const { platform } = devices;
    await app.make.device({
      platform_id: platform.id,
      product_id: platform.product_id,
      uuid,
      certificate_fingerprint: issued.fingerprint,
    });
    const reply = await devices.call(devices.agentFor(issued), 'GET', '/info');
    expect(reply).toMatchObject({ status: 403, code: 'CERTIFICATE_EXPIRED' });
    await expired.service.close();
    await storage.close();
  });

  // API-DEV-revoked
  describe('revocation', () => {
    const disable = async (id: string, by = app) => {
      const call = { params: { device_id: id }, body: { state: 'disabled' as const } };
      expect((await by.client.as(owner.token).call('devices.setState', call)).ok).toBe(true);
    };

    it('refuses the next call on a connection that was open, and cuts what is under way', async () => {
      const { row, agent, issued } = await devices.deviceOf({ user_id: owner.id });
      expect(await devices.call(agent, 'GET', '/info')).toMatchObject({ status: 200 });
      const socket = await speakingOn(issued);
      const closed = endOf(socket);
      await disable(row.id);
      await closed;
      expect(await devices.call(agent, 'GET', '/info')).toMatchObject({ status: 403, code: 'DEVICE_DISABLED' });
    });

    it('by a new provisioning does the same', async () => {
      const { row, issued } = await devices.deviceOf({ user_id: owner.id });
      const socket = await speakingOn(issued);
      const closed = endOf(socket);
      unwrap(await app.client.as(owner.token).call('devices.renewToken', { params: { device_id: row.id } }));
      await closed;
    });

    if (kind === 'sqlite') return;
    it('reaches the connections of another process', async () => {
      const storage = await openRecords(database);
      const other = await buildApp(storage);
      const there = await tlsDevices(other, devices.platform);
      const { row, issued } = await devices.deviceOf({ user_id: owner.id });
      const socket = await speakingOn(issued, there.port);
      const closed = endOf(socket);
      await disable(row.id);
      await closed;
      there.close();
      await other.service.close();
      await storage.close();
    });
  });
});

async function openTls(port: number, ca: string, { certificate: cert, key }: TlsCredentials) {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, cert, key });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** Resolves when a connection is gone, however that went. */
const endOf = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));
