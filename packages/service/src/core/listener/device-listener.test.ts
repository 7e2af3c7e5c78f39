import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:https';
import { connect } from 'node:tls';
import { type ErrorCode, errors } from '@moorage/api';
import { VirtualClock } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { openRecords } from '../../tables.ts';
import { expectAnswerHeaders } from '../../testing/answer-headers.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp, testStartMs } from '../../testing/index.ts';
import { hashPassword } from '../auth/passwords.ts';
import { makeAuthority, makeDeviceCertificate } from '../certificates/certificates.ts';
import { deviceStatusOf } from './device-listener.ts';

interface Credentials {
  readonly certificate: string;
  readonly key: string;
}

interface Reply {
  readonly status: number;
  readonly bytes: Buffer;
  readonly headers: Record<string, unknown>;
}

// API-DEV-status
it('device listener refuses with 400, 403, 404 and the faults of the service only', () => {
  const statuses = new Set((Object.keys(errors) as ErrorCode[]).map(deviceStatusOf));
  expect([...statuses].filter((status) => status < 500).sort()).toEqual([400, 403, 404]);
});

// The one suite of the service with sockets: TLS cannot be had without. All on loopback.
eachDatabase('device listener over TLS', (open) => {
  let app: TestApp;
  let port: number;
  let owner: MadeUser;
  let maker: MadeUser;
  let platform: Awaited<ReturnType<TestApp['make']['platform']>>;
  const agents: Agent[] = [];
  const password = 'correct horse';

  beforeAll(async () => {
    app = await buildApp(await open());
    port = Number(new URL(await app.service.devices.listen({ host: '127.0.0.1', port: 0 })).port);
    const password_hash = await hashPassword(password);
    owner = await app.make.user({ password_hash });
    maker = await app.make.user();
    platform = await app.make.platform();
  });
  afterAll(async () => {
    for (const agent of agents) agent.destroy();
    await app.service.close();
  });

  function agentFor(credentials?: Credentials, more: object = {}): Agent {
    const identity = credentials && { cert: credentials.certificate, key: credentials.key };
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: app.service.identity.ca, ...identity, ...more });
    agents.push(agent);
    return agent;
  }

  async function send(agent: Agent, method: string, path: string, body?: object, headers: object = {}): Promise<Reply> {
    const reply = await new Promise<Reply>((resolve, reject) => {
      const json = body && JSON.stringify(body);
      const sent = request(
        {
          agent,
          host: '127.0.0.1',
          port,
          method,
          path,
          headers: { ...(json && { 'content-type': 'application/json' }), ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks), headers: response.headers }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(json);
    });
    expectAnswerHeaders(reply.headers);
    return reply;
  }
  const json = async (agent: Agent, method: string, path: string, body?: object, headers: object = {}) => {
    const { status, bytes } = await send(agent, method, path, body, headers);
    return { status, ...JSON.parse(bytes.toString()) };
  };

  async function provisioned(more: object = {}) {
    const uuid = randomBytes(20).toString('hex');
    const issued = await app.service.identity.issueDeviceCertificate(uuid);
    const row = await app.make.device({
      platform_id: platform.id,
      product_id: platform.product_id,
      uuid,
      certificate_fingerprint: issued.fingerprint,
      ...more,
    });
    return { row, issued, agent: agentFor(issued) };
  }

  describe('identity', () => {
    // API-DEV-identity
    it('a device with its own certificate is served, call after call on one connection', async () => {
      const { agent, row } = await provisioned();
      for (let time = 0; time < 3; time++)
        expect(await json(agent, 'GET', '/info')).toMatchObject({ status: 200, uuid: row.uuid });
      expect(await json(agent, 'GET', '/info', undefined, { 'x-device-uuid': row.uuid.toUpperCase() })).toMatchObject({
        status: 200,
      });
      expect(await app.storage.hot.deviceById(row.id)).toMatchObject({ state: 'active', ip: '127.0.0.1' });
    });

    it('a device that resumes its TLS session is still known', async () => {
      const { issued, row } = await provisioned();
      const options = {
        host: '127.0.0.1',
        port,
        ca: app.service.identity.ca,
        cert: issued.certificate,
        key: issued.key,
      };
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        let session: Buffer | undefined;
        for (const isResumed of [false, true]) {
          const text = await new Promise<string>((resolve, reject) => {
            const socket = connect({
              ...options,
              minVersion: version,
              maxVersion: version,
              ...(session && { session }),
            });
            socket.on('session', (made) => {
              session = made;
            });
            socket.on('secureConnect', () => {
              expect(socket.isSessionReused()).toBe(isResumed);
              socket.write('GET /info HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
            });
            let received = '';
            socket.on('data', (chunk) => {
              received += chunk;
            });
            socket.on('end', () => resolve(received));
            socket.on('error', reject);
          });
          expect(text).toMatch(/^HTTP\/1.1 200/);
          expect(text).toContain(row.uuid);
        }
      }
    });

    it('another device is refused with 403', async () => {
      const stranger = await makeAuthority(testStartMs);
      const { row, issued } = await provisioned();
      const other = await provisioned();
      const unknown = await app.service.identity.issueDeviceCertificate('f'.repeat(40));
      // A certificate of our authority that was outdated by a later one.
      const stale = await provisioned({ certificate_fingerprint: 'a'.repeat(64) });
      const never = await provisioned({ certificate_fingerprint: null });
      const rows: [string, Agent, object, string][] = [
        ['no certificate', agentFor(), {}, 'DEVICE_NOT_IDENTIFIED'],
        [
          'no certificate, but headers',
          agentFor(),
          { 'x-device-uuid': row.uuid, 'x-device-token': 'x' },
          'DEVICE_NOT_IDENTIFIED',
        ],
        [
          'another authority',
          agentFor(await makeDeviceCertificate(stranger, row.uuid, testStartMs, 10_950)),
          {},
          'DEVICE_NOT_IDENTIFIED',
        ],
        ['signed by itself', agentFor(await makeAuthority(testStartMs)), {}, 'DEVICE_NOT_IDENTIFIED'],
        ['the uuid of another device', agentFor(issued), { 'x-device-uuid': other.row.uuid }, 'DEVICE_NOT_IDENTIFIED'],
        ['a device that is not known', agentFor(unknown), {}, 'DEVICE_NOT_IDENTIFIED'],
        ['an outdated certificate', stale.agent, {}, 'DEVICE_NOT_IDENTIFIED'],
        ['a device without a certificate on record', never.agent, {}, 'DEVICE_NOT_IDENTIFIED'],
        ["the listener's own certificate", agentFor(app.service.identity.server), {}, 'DEVICE_NOT_IDENTIFIED'],
        ['a disabled device', (await provisioned({ state: 'disabled' })).agent, {}, 'DEVICE_DISABLED'],
      ];
      for (const [who, agent, headers, code] of rows) {
        const reply = await json(agent, 'GET', '/info', undefined, headers);
        expect([who, reply.status, reply.code]).toEqual([who, 403, code]);
        const queried = await json(agent, 'POST', '/ota', {}, headers);
        expect([who, queried.status]).toEqual([who, 403]);
      }
      expect((await app.storage.hot.deviceById(row.id))?.last_seen_at).toBeNull();
    });

    it('a certificate that has expired is refused', async () => {
      const { row } = await provisioned();
      // Made by the same authority, long enough ago that it is over: node checks it with the clock of the host.
      const { certificate, private_key: key } = await app.storage.db
        .selectFrom('authorities')
        .selectAll()
        .executeTakeFirstOrThrow();
      const longAgoMs = testStartMs - 40 * 365 * 86_400_000;
      const expired = await makeDeviceCertificate({ certificate, key }, row.uuid, longAgoMs, 365);
      await app.storage.db
        .updateTable('devices')
        .set({ certificate_fingerprint: expired.fingerprint })
        .where('id', '=', row.id)
        .execute();
      expect(await json(agentFor(expired), 'GET', '/info')).toMatchObject({ status: 403 });
    });

    it('a device that is disabled or gets another certificate is refused on the connection it has', async () => {
      const [one, two] = [await provisioned(), await provisioned()];
      for (const { agent } of [one, two]) expect(await json(agent, 'GET', '/info')).toMatchObject({ status: 200 });
      await app.storage.db.updateTable('devices').set({ state: 'disabled' }).where('id', '=', one.row.id).execute();
      await app.storage.db
        .updateTable('devices')
        .set({ certificate_fingerprint: 'b'.repeat(64) })
        .where('id', '=', two.row.id)
        .execute();
      for (const { agent } of [one, two]) expect(await json(agent, 'GET', '/info')).toMatchObject({ status: 403 });
    });

    it('TLS below 1.2 is not spoken', async () => {
      const agent = agentFor(undefined, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });
      await expect(json(agent, 'GET', '/info')).rejects.toThrow();
    });
  });

  /** A product with a published release of one file, and a device that has nothing but its token. */
  async function factoryFresh(content: Buffer) {
    const { make } = app;
    const product = await make.product({ platform_id: platform.id, user_id: maker.id, publication: 'published' });
    const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const of = { product_id: product.id, firmware_id: firmware.id, user_id: maker.id };
    const bundle = await make.bundle({ ...of, state: 'published', tag: 'release' });
    await make.resource(content, { bundle_id: bundle.id, filename: 'webapp/big file.bin' });
    const token = newTokenValue();
    const device = await make.device({
      platform_id: platform.id,
      product_id: platform.product_id,
      provision_status: 'pending',
      provision_token_hash: hashSecret(token),
    });
    return { product, bundle, device, token };
  }

  // API-DEV-POST-provision to API-DEV-POST-ota-result, in the order in which a device comes to them.
  it('a new device is provisioned, claimed, activated and updated', async () => {
    const content = randomBytes(300_000);
    const { product, bundle, device, token } = await factoryFresh(content);

    const credentials = await json(
      agentFor(),
      'POST',
      '/provision',
      { uuid: device.uuid },
      { 'x-device-token': token },
    );
    expect(credentials).toMatchObject({ status: 200, uuid: device.uuid, ca: app.service.identity.ca });
    const agent = agentFor(credentials);
    expect(await json(agent, 'PUT', '/provision')).toEqual({ status: 200, result: 'ok' });
    // The token has done its work.
    expect(await json(agentFor(), 'POST', '/provision', { token })).toMatchObject({ status: 403 });
    expect(await json(agent, 'POST', '/activate', { product: product.product })).toMatchObject({
      status: 403,
      code: 'DEVICE_UNCLAIMED',
    });
    expect(await json(agent, 'POST', '/claim', { username: owner.username, password })).toMatchObject({
      status: 200,
      user: owner.username,
    });
    expect(await json(agent, 'POST', '/activate', { product: product.code })).toMatchObject({
      status: 200,
      bundle: bundle.version,
    });

    const offer = await json(agent, 'POST', '/ota', { bversion: 'factory' });
    expect(offer).toMatchObject({ status: 200, result: 'update', bundle_id: bundle.id, total_size: content.length });
    const [file] = offer.files;
    const url = new URL(offer.path.replace('%s', file.remote));
    expect(url.host).toBe(`127.0.0.1:${port}`);
    const first = await send(agent, 'GET', url.pathname, undefined, { range: 'bytes=0-99999' });
    const rest = await send(agent, 'GET', url.pathname, undefined, { range: 'bytes=100000-' });
    expect([first.status, rest.status]).toEqual([206, 206]);
    expect(Buffer.concat([first.bytes, rest.bytes]).equals(content)).toBe(true);

    const report = (bversion: string) =>
      json(agent, 'POST', '/ota/result', { bundle_id: bundle.id, result: 1, bversion });
    expect(await report('factory')).toMatchObject({ status: 200, result: 'ok' });
    const record = async () => {
      const read = await app.client.as(owner.token).call('devices.get', { params: { identifier: device.uuid } });
      if (!read.ok) throw new Error(read.error.body.message);
      return read.value.value;
    };
    expect(await record()).toMatchObject({ bundle: bundle.version, bundle_ok: false });
    expect(await report(offer.bversion)).toMatchObject({ status: 200 });
    expect(await record()).toMatchObject({
      bundle: bundle.version,
      bundle_ok: true,
      bversion: offer.bversion,
      state: 'active',
    });
    expect(await json(agent, 'POST', '/ota', { bid: bundle.id, bversion: offer.bversion })).toMatchObject({
      result: 'none',
    });
  });
});

it('development mode says in the log that the listener has no TLS', async () => {
  const lines: string[] = [];
  const storage = await openRecords('sqlite::memory:', { clock: new VirtualClock() });
  const logStream = { write: (line: string) => void lines.push(line) };
  const app = await buildApp(storage, { settings: { deviceInsecure: true }, logLevel: 'warn', logStream });
  await app.service.close();
  await storage.close();
  expect(lines.join('')).toContain('no TLS');
});
