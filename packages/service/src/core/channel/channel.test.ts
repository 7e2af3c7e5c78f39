import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { channelCloses, manyCommandsOutput } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { decode, encode } from '@msgpack/msgpack';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { topics } from '../../engine/bus/topics.ts';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { openRecords } from '../../tables.ts';
import { auditedActions } from '../../testing/audited.ts';
import { buildApp, eachDatabase, extensionsRun, type MadeUser, type TestApp } from '../../testing/index.ts';

/** A device's end of the channel: what has come, and what it answers. */
class Peer {
  readonly socket: WebSocket;
  readonly heard: Record<string, unknown>[] = [];
  closeCode: number | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      this.heard.push((isBinary ? decode(data) : JSON.parse(data.toString())) as Record<string, unknown>);
    });
    socket.on('close', (code) => {
      this.closeCode = code;
    });
    socket.on('error', () => {});
  }

  say(message: object): void {
    this.socket.send(encode(message));
  }

  /** What comes next. */
  async next(): Promise<Record<string, unknown>> {
    await expect.poll(() => this.heard.length).toBeGreaterThan(0);
    return this.heard.shift() ?? {};
  }

  async closed(): Promise<number> {
    if (this.closeCode === undefined) await once(this.socket, 'close');
    return this.closeCode ?? 0;
  }
}

eachDatabase('message channel', (_open, kind, address) => {
  let database: string;
  let app: TestApp;
  let owner: MadeUser;
  let url: string;
  const peers: Peer[] = [];

  async function deviceOf(more: object = {}) {
    const token = newTokenValue();
    const platform = await app.make.platform();
    const row = await app.make.device({
      platform_id: platform.id,
      product_id: platform.product_id,
      user_id: owner.id,
      provision_token_hash: hashSecret(token),
      provision_status: 'pending',
      ...more,
    });
    return { ...row, token };
  }
  type Device = Awaited<ReturnType<typeof deviceOf>>;
  let device: Device;

  async function connect(from: Device = device, to = url): Promise<Peer> {
    const headers = { 'x-device-uuid': from.uuid, 'x-device-token': from.token };
    const peer = new Peer(new WebSocket(to, { headers }));
    peers.push(peer);
    await once(peer.socket, 'open');
    return peer;
  }

  const status = async (user = owner) => {
    const reply = await app.client.as(user.token).call('channel.status', { params: { device_id: device.id } });
    return reply.ok ? reply.value.value : reply.error.body.code;
  };
  const command = (line: string, more: object = {}, user = owner) =>
    app.client
      .as(user.token)
      .call('channel.command', { params: { device_id: device.id }, body: { command: line, ...more } })
      .then((reply) => (reply.ok ? reply.value.value : reply.error.body.code));
  const online = () => expect.poll(status).toMatchObject({ online: true });
  const logs = async () =>
    (await app.storage.db.selectFrom('logs').select('type').where('device_id', '=', device.id).execute())
      .map(({ type }) => type)
      .filter((type) => /^device\.(on|off)line|command/.test(type));

  beforeAll(async () => {
    database = await address();
    const storage = await openRecords(database);
    app = await buildApp(storage, { settings: { deviceInsecure: true } });
    await app.service.devices.listen({ host: '127.0.0.1', port: 0 });
    // Safe: it listens on TCP.
    const { port } = app.service.devices.server.address() as AddressInfo;
    url = `ws://127.0.0.1:${port}/stream`;
    owner = await app.make.user();
  });
  afterAll(async () => {
    await app.service.close();
    await app.storage.close();
  });
  beforeEach(async () => {
    device = await deviceOf();
  });
  afterEach(async () => {
    for (const { socket } of peers.splice(0)) socket.terminate();
  });

  // API-EP-POST-devices-command, API-RULE-many-devices-2
  it('one command line runs on many devices, and each answers for itself', async () => {
    const [other, away] = [await deviceOf(), await deviceOf()];
    const peers = await Promise.all([connect(), connect(other)]);
    await expect
      .poll(async () => (await app.storage.db.selectFrom('channels').select('device_id').execute()).length)
      .toBeGreaterThanOrEqual(2);
    const foreign = await deviceOf({ user_id: (await app.make.user()).id });
    const device_ids = [device.id, other.id, away.id, foreign.id];
    const reply = app.client
      .as(owner.token)
      .call('channel.commandMany', { body: { device_ids, command: 'set a secret', timeout_ms: 5_000 } });
    for (const [number, peer] of peers.entries()) {
      const { id, data } = await peer.next();
      expect(data).toBe('set a secret');
      peer.say({ response: 'command', id, code: 0, data: `done ${number}${'x'.repeat(9_000)}` });
    }
    const { done, refused } = unwrap(await reply).value;
    const byId = new Map(done.map((one) => [one.device_id, one]));
    expect(byId.get(device.id)).toMatchObject({ code: 0, data: expect.stringMatching(/^done 0x/) });
    expect(byId.get(other.id)?.data).toHaveLength(manyCommandsOutput);
    expect(refused).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ device_id: away.id, code: 'DEVICE_OFFLINE' }),
        expect.objectContaining({ device_id: foreign.id, code: 'NOT_FOUND' }),
      ]),
    );
    const rows = await app.storage.db
      .selectFrom('logs')
      .select(['message', 'data', 'product_id'])
      .where('type', '=', 'device.command')
      .where('product_id', 'in', [device.product_id, other.product_id, away.product_id])
      .execute();
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toContain('secret');
  });

  // API-DEV-GET-stream
  it('refuses strangers before the handshake', async () => {
    const refused = new WebSocket(url, { headers: { 'x-device-uuid': device.uuid, 'x-device-token': 'wrong' } });
    refused.on('error', () => {});
    const [, reply] = await once(refused, 'unexpected-response');
    expect(reply.statusCode).toBe(403);
    expect((await app.service.devices.inject({ method: 'GET', url: '/stream' })).statusCode).toBe(403);
  });

  describe('requests of a device', () => {
    // API-CHAN-echo, API-CHAN-text
    it('are answered in the form in which they came, with their id, or not at all without one', async () => {
      const peer = await connect();
      peer.say({ id: 1, request: 'echo', data: { text: 'ü', list: [1, null] } });
      expect(await peer.next()).toEqual({ id: 1, data: { text: 'ü', list: [1, null] } });
      peer.say({ request: 'echo', data: 'unheard' });
      peer.socket.send(JSON.stringify({ id: 2, request: 'echo', data: 'text' }));
      expect(await peer.next()).toEqual({ id: 2, data: 'text' });
    });

    it.each([
      ['no dictionary', encode([1]), 'the frame is no dictionary'],
      ['no MessagePack', Buffer.from([0xc1]), 'the frame is not MessagePack'],
      ['no JSON', '{', 'the frame is not JSON'],
      ['an unknown request', JSON.stringify({ id: 5, request: 'fly' }), 'unknown request'],
      ['wrong fields', JSON.stringify({ id: 5, request: 'webhook' }), 'the fields of webhook are not right'],
    ])('with %s are refused, and the channel stays', async (_, frame, error) => {
      const peer = await connect();
      peer.socket.send(frame);
      expect(await peer.next()).toMatchObject({ error });
      peer.say({ id: 1, request: 'echo', data: 1 });
      expect(await peer.next()).toEqual({ id: 1, data: 1 });
    });

    // API-CHAN-limits
    it('that are too long end the channel', async () => {
      const peer = await connect();
      peer.say({ id: 1, request: 'echo', data: 'x'.repeat(70_000) });
      expect(await peer.closed()).toBe(1009);
    });

    it('whose answers no frame takes are refused, and the service goes on', async () => {
      const peer = await connect();
      const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
      const packed = (levels: number) => Buffer.from([...Array(levels).fill(0x91), 1]);
      const packedEcho = Buffer.concat([encode({ id: 1, request: 'echo', data: 0 }).slice(0, -1), packed(200)]);
      peer.socket.send(packedEcho);
      expect(await peer.next()).toEqual({ id: 1, error: 'the data is nested too deeply' });
      peer.socket.send(`{"id":2,"request":"echo","data":${deep(25_000)}}`);
      expect(await peer.next()).toMatchObject({ id: 2, error: expect.stringContaining('deeply') });
      for (const data of [packed(200), packed(40_000)]) {
        const head = encode({ id: 4, request: 'webhook', code: 'A', data: 0 }).slice(0, -1);
        peer.socket.send(Buffer.concat([head, data]));
        expect(await peer.next()).toMatchObject({ id: 4, error: expect.any(String) });
      }
      peer.say({ id: 5, request: 'echo', data: 1 });
      expect(await peer.next()).toEqual({ id: 5, data: 1 });
    });

    it('keep their order, however many come at once', async () => {
      const peer = await connect();
      for (let id = 1; id <= 200; id++) peer.say({ id, request: 'echo', data: id });
      const ids: unknown[] = [];
      while (ids.length < 200) ids.push((await peer.next()).id);
      expect(ids).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    });

    // API-CHAN-telemetry, API-CHAN-nodes
    it.runIf(extensionsRun)('keep telemetry and nodes, the newest of each', async () => {
      const peer = await connect();
      peer.say({ request: 'attributes', data: { board: 'Harbour.3' } });
      peer.say({ id: 1, request: 'telemetry', data: { rssi: -60 } });
      peer.say({ id: 2, request: 'telemetry', data: { rssi: -50, bytes: new Uint8Array([1, 2]) } });
      peer.say({ id: 3, request: 'nodes', data: [{ id: 'n1', title: 'Lamp' }, { id: 'n1' }, { id: 'n2' }] });
      for (const id of [1, 2, 3]) expect(await peer.next()).toEqual({ id, data: null });
      expect(await status()).toMatchObject({
        telemetry: { data: { rssi: -50, bytes: 'AQI=' } },
        nodes: [{ id: 'n1', title: null }, { id: 'n2' }],
      });
      // API-RULE-attributes-1
      const kept = app.storage.db.selectFrom('attributes').select(['name', 'value']).where('device_id', '=', device.id);
      await expect.poll(() => kept.execute()).toEqual([{ name: 'board', value: 'Harbour.3' }]);
    });

    // API-CHAN-webhook
    it('go through the connector of the product, whose answer comes back', async () => {
      const peer = await connect();
      peer.say({ id: 1, request: 'webhook', code: 'NONE', data: 1 });
      expect(await peer.next()).toEqual({ id: 1, error: 'connector not found' });
    });
  });

  describe('commands', () => {
    // API-CHAN-command, API-EP-POST-devices-device_id-command
    it.runIf(extensionsRun)('run on the device, and bring back its code and output', async () => {
      const peer = await connect();
      await online();
      const answer = command('get wlan.ssid');
      const request = await peer.next();
      expect(request).toMatchObject({ request: 'command', data: 'get wlan.ssid' });
      peer.say({ id: request.id, code: 0, data: 'harbour\r\n' });
      expect(await answer).toEqual({ code: 0, data: 'harbour\r\n' });
      expect(await logs()).toContain('device.command');
      expect(await auditedActions(app.storage)).toContain('channel.command');
    });

    it('that the device refuses, does not answer, or cannot get have refusals of their own', async () => {
      expect(await command('ver')).toBe('DEVICE_OFFLINE');
      const peer = await connect();
      await online();
      const refused = command('ver');
      peer.say({ id: (await peer.next()).id, error: 'remote commands are off' });
      expect(await refused).toBe('DEVICE_REFUSED');
      const silent = command('ver', { timeout_ms: 100 });
      await peer.next();
      await app.clock.advance(100);
      expect(await silent).toBe('DEVICE_SILENT');
      const cut = command('ver');
      await peer.next();
      peer.socket.terminate();
      expect(await cut).toBe('DEVICE_OFFLINE');
    });

    it('are for those who may', async () => {
      await connect();
      expect(await command('ver', {}, await app.make.user())).toBe('NOT_FOUND');
    });
  });

  // API-CHAN-action, API-EP-POST-connectors-connector_id-messages
  it('brings actions of a third party, who shows the secret of the connector', async () => {
    const peer = await connect();
    await online();
    const connector = await app.storage.db
      .insertInto('connectors')
      .values({
        id: crypto.randomUUID(),
        product_id: device.product_id,
        title: 'Hook',
        code: 'HOOK',
        type: 'webhook',
        opts: JSON.stringify({ url: 'https://example.com', secret: 'shared' }),
        state: 'ok',
        last_used_at: null,
        last_error: null,
        created_at: 0,
        updated_at: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const send = (headers: Record<string, string>, payload: object) =>
      app.service.api
        .inject({ method: 'POST', url: `/api/connectors/${connector.id}/messages`, headers, payload })
        .then(({ statusCode }) => statusCode);
    const message = { device_id: device.uuid, action: 'claimed', user: 'ada' };
    expect(await send({}, message)).toBe(401);
    expect(await send({ 'x-connector-secret': 'wrong' }, message)).toBe(401);
    expect(await send({ authorization: `Bearer ${(await app.make.user()).token}` }, message)).toBe(403);
    expect(await send({ 'x-connector-secret': 'shared' }, { ...message, device_id: 'f'.repeat(40) })).toBe(404);
    expect(await send({ 'x-connector-secret': 'shared' }, message)).toBe(200);
    expect(await peer.next()).toEqual({ action: 'claimed', user: 'ada' });
    // What no frame takes would throw the device off the channel.
    const nested = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
    for (const more of [{ nested }, { long: 'x'.repeat(70_000) }]) {
      expect(await send({ 'x-connector-secret': 'shared' }, { ...message, ...more })).toBe(400);
    }
    expect(await send({ 'x-connector-secret': 'shared' }, message)).toBe(200);
    expect(await peer.next()).toEqual({ action: 'claimed', user: 'ada' });
    peer.socket.terminate();
    await expect.poll(status).toMatchObject({ online: false });
    expect(await send({ 'x-connector-secret': 'shared' }, message)).toBe(409);
  });

  // API-CHAN-online, API-EP-GET-devices-device_id-channel
  it('says who is online, and logs coming and going; a newer channel takes over', async () => {
    expect(await status()).toMatchObject({ online: false, since: null });
    const first = await connect();
    await online();
    const second = await connect();
    expect(await first.closed()).toBe(channelCloses.replaced);
    await online();
    second.socket.close();
    await expect.poll(status).toMatchObject({ online: false, address: null });
    expect(new Set(await logs())).toEqual(new Set(['device.online', 'device.offline']));
  });

  // API-CHAN-limits
  it('pings a silent device, and gives up one that does not answer', async () => {
    const peer = await connect();
    await online();
    const pinged = once(peer.socket, 'ping');
    // Looked at every 10 s.
    await app.clock.advance(40_000);
    await pinged;
    // The pong has come when a later request has.
    peer.say({ id: 1, request: 'echo', data: 1 });
    await peer.next();
    peer.socket.pause();
    await app.clock.advance(120_000);
    await expect.poll(status).toMatchObject({ online: false });
  });

  // API-CHAN-wake
  it('tells a device of an update that is due, and sends away one that is blocked', async () => {
    const peer = await connect();
    await online();
    app.storage.bus.publish(topics.otaDue, { productId: device.product_id });
    expect(await peer.next()).toEqual({ action: 'ota' });
    app.storage.bus.publish(topics.otaDue, { productId: 'another' });
    app.storage.bus.publish(topics.otaDue, { deviceId: device.id });
    expect(await peer.next()).toEqual({ action: 'ota' });
    app.storage.bus.publish(topics.deviceRevoked, { deviceId: device.id });
    expect(await peer.closed()).toBe(channelCloses.refused);
  });

  // API-CHAN-online
  it('counts the devices of a process that was killed as offline after a while, with no device of its own', async () => {
    const row = { device_id: device.id, process_id: 'killed', session: 's', address: '', connected_at: 0 };
    await app.storage.db.insertInto('processes').values({ id: 'killed', seen_at: app.clock.now() }).execute();
    await app.storage.db.insertInto('channels').values(row).execute();
    // Twice as many looks as it may miss, in which it gives signs of life.
    for (let look = 0; look < 10; look++) {
      await app.storage.db.updateTable('processes').set({ beats: look }).where('id', '=', 'killed').execute();
      await app.clock.advance(1_500);
    }
    expect(await status()).toMatchObject({ online: true });
    await expect.poll(async () => app.clock.advance(1_500).then(() => status())).toMatchObject({ online: false });
    expect(await logs()).toEqual(['device.offline']);
  });

  // API-CHAN-processes
  if (kind === 'sqlite') return;
  it('reaches a device that is connected to another process', async () => {
    const storage = await openRecords(database);
    const other = await buildApp(storage, { settings: { deviceInsecure: true } });
    await other.service.devices.listen({ host: '127.0.0.1', port: 0 });
    const { port } = other.service.devices.server.address() as AddressInfo;
    const peer = await connect(device, `ws://127.0.0.1:${port}/stream`);
    await online();
    const answer = command('get system.uuid');
    const request = await peer.next();
    peer.say({ id: request.id, code: 0, data: 'x'.repeat(20_000) });
    expect(await answer).toEqual({ code: 0, data: 'x'.repeat(20_000) });
    const here = await connect();
    expect(await peer.closed()).toBe(channelCloses.replaced);
    here.socket.terminate();
    await other.service.close();
    await storage.close();
  });
});
