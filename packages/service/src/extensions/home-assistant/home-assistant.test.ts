import net, { type AddressInfo } from 'node:net';
import { unwrap } from '@moorage/base';
import { Aedes } from 'aedes';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { topics as busTopics } from '../../engine/bus/topics.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { buildApp, type TestApp } from '../../testing/build-app.ts';
import { eachDatabase } from '../../testing/each-database.ts';
import { type ProductScene, productScene } from '../../testing/product-scene.ts';

const capabilities = {
  name: 'Tide gauge',
  version: '1.0.0',
  streams: { level: { type: 'number', units: 'm', title: 'Water level' }, status: { type: 'string' } },
  controls: {
    lamp: { type: 'number', min: 0, max: 1, default: 0 },
    alarm_at: { type: 'number', max: 9, units: 'm' },
    greeting: { type: 'string' },
  },
};
const settings = { connectorAllow: ['127.0.0.0/8'] };

/** A broker that notes what connectors publish, and keeps what is to be kept. */
async function openBroker() {
  const broker = await Aedes.createBroker();
  const published: [topic: string, payload: string][] = [];
  const kept = new Map<string, string>();
  broker.on('publish', ({ topic, payload, retain, qos }, client) => {
    if (!client) return;
    expect([qos, retain]).toEqual([1, true]);
    const text = payload.toString();
    published.push([topic, text]);
    if (text === '') kept.delete(topic);
    else kept.set(topic, text);
  });
  const sockets = new Set<net.Socket>();
  let isAway = false;
  const server = net.createServer((socket) => {
    if (isAway) return void socket.destroy();
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    broker.handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    published,
    kept,
    connections: () => broker.connectedClients,
    /** Says something in the name of Home Assistant. */
    say: (topic: string, payload: string, retain = false) =>
      new Promise<void>((resolve, reject) => {
        const packet = { cmd: 'publish', dup: false, qos: 1, retain, topic, payload: Buffer.from(payload) } as const;
        broker.publish(packet, (error) => (error ? reject(error) : resolve()));
      }),
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    away(now: boolean) {
      isAway = now;
      if (now) this.cut();
    },
    async close() {
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      server.close();
    },
  };
}

eachDatabase('devices at Home Assistant', (open) => {
  let storage: Storage;
  let scene: ProductScene;
  let broker: Awaited<ReturnType<typeof openBroker>>;
  let product: { readonly id: string; readonly product: string };
  let device: Awaited<ReturnType<ProductScene['occupy']>>;
  let connectorId: string;
  const others: TestApp[] = [];

  beforeEach(async () => {
    storage = await open();
    broker = await openBroker();
    scene = await productScene(storage, { settings });
    product = await scene.add();
    device = await scene.occupy(product.id);
    await activate(capabilities);
  });
  afterEach(async () => {
    for (const other of others.splice(0)) await other.service.close();
    await scene.app.service.close();
    await broker.close();
  });

  const change = async (more: object, code = 'HOME') => {
    const body = { title: 'Home', code, opts: opts(more) };
    unwrap(await scene.as('owner').call('connectors.update', { params: { connector_id: connectorId }, body }));
  };
  const removeConnector = async () =>
    void unwrap(await scene.as('owner').call('connectors.remove', { params: { connector_id: connectorId } }));
  const activate = async (can: object) => {
    const values = { capabilities: JSON.stringify(can), user_id: scene.people.owner.id, activated_at: 1 };
    await storage.db
      .insertInto('activations')
      .values({ device_id: device.id, ...values })
      .onConflict((conflict) => conflict.column('device_id').doUpdateSet(values))
      .execute();
  };
  const opts = (more: object = {}) => ({
    type: 'mqtt',
    url: broker.url,
    timeout_ms: 30_000,
    home_assistant: true,
    ...more,
  });
  const connect = async (more: object = {}) => {
    const body = { title: 'Home', code: 'HOME', opts: opts(more) };
    const params = { product_id: product.id };
    connectorId = unwrap(await scene.as('owner').call('connectors.create', { params, body })).value.id;
  };
  /** Time goes on in small steps until this holds, no faster than the database answers: leases end with the time. */
  const until = (seen: () => unknown, expected: unknown) =>
    expect
      .poll(
        async () => {
          await storage.db.selectFrom('processes').select('id').limit(1).execute();
          await scene.app.clock.advance(500);
          for (const { clock } of others) await clock.advance(500);
          return seen();
        },
        { interval: 10 },
      )
      .toEqual(expected);
  const base = () => `moorage/${product.product}/HOME`;
  const configTopic = () => `homeassistant/device/moorage_${device.uuid}/config`;
  const stateTopic = () => `${base()}/${device.uuid}/state`;
  const state = () => JSON.parse(broker.kept.get(stateTopic()) ?? '{}');
  const announced = () => until(() => broker.kept.has(stateTopic()), true);
  const controls = () =>
    storage.db.selectFrom('controls').select(['name', 'value', 'source']).orderBy('name').execute();

  /** What announces the device of the test. */
  const expectedConfig = () => {
    const component = (name: string, more: object) => ({
      unique_id: `moorage_${device.uuid}_${name}`,
      name,
      ...more,
    });
    const set = (name: string) => ({
      command_topic: `${base()}/${device.uuid}/set/${name}`,
      value_template: `{{ value_json.controls['${name}'] }}`,
    });
    return {
      device: {
        identifiers: [`moorage_${device.uuid}`],
        name: device.title,
        model: product.product,
        serial_number: device.uuid,
      },
      origin: { name: 'Moorage' },
      availability: [{ topic: `${base()}/status` }, { topic: `${base()}/${device.uuid}/availability` }],
      availability_mode: 'all',
      state_topic: stateTopic(),
      qos: 1,
      components: {
        level: component('level', {
          platform: 'sensor',
          name: 'Water level',
          unit_of_measurement: 'm',
          state_class: 'measurement',
          value_template: "{{ value_json.streams['level'] }}",
        }),
        status: component('status', { platform: 'sensor', value_template: "{{ value_json.streams['status'] }}" }),
        lamp: component('lamp', { platform: 'switch', payload_on: '1', payload_off: '0', ...set('lamp') }),
        alarm_at: component('alarm_at', {
          platform: 'number',
          mode: 'box',
          min: -1_000_000_000,
          max: 9,
          step: 0.001,
          unit_of_measurement: 'm',
          ...set('alarm_at'),
        }),
        greeting: component('greeting', { platform: 'text', max: 128, ...set('greeting') }),
        FIRMWARE: component('FIRMWARE', {
          platform: 'update',
          name: 'Firmware',
          device_class: 'firmware',
          value_template: "{{ value_json.installed | default('', true) }}",
          latest_version_topic: stateTopic(),
          latest_version_template: "{{ value_json.latest | default('', true) }}",
        }),
      },
    };
  };

  it('are announced with their streams, controls and version, and what they measure follows', async () => {
    await connect();
    await announced();
    expect(broker.published.map(([topic]) => topic)).toEqual([
      `${base()}/status`,
      configTopic(),
      `${base()}/${device.uuid}/availability`,
      stateTopic(),
    ]);
    expect(broker.kept.get(`${base()}/status`)).toBe('online');
    expect(broker.kept.get(`${base()}/${device.uuid}/availability`)).toBe('offline');
    expect(JSON.parse(broker.kept.get(configTopic()) ?? '')).toEqual(expectedConfig());
    const nothing = { alarm_at: null, greeting: null };
    expect(state()).toEqual({
      streams: { level: null, status: null },
      controls: { lamp: 0, ...nothing },
      installed: null,
      latest: null,
    });

    const samples = [{ name: 'level', atMs: scene.app.clock.now(), value: 1.72 }];
    await storage.samples.append({ deviceId: device.id, batch: 'b1', atMs: scene.app.clock.now(), samples });
    storage.bus.publish(busTopics.liveEvent, { deviceId: device.id, event: { type: 'samples', data: samples } });
    await until(() => state().streams, { level: 1.72, status: null });
    await storage.db.insertInto('processes').values({ id: 'p', seen_at: 1 }).execute();
    const channel = { process_id: 'p', session: 's', address: '', connected_at: 1 };
    await storage.db
      .insertInto('channels')
      .values({ device_id: device.id, ...channel })
      .execute();
    const bversion = 'OWNER-P1-1.0.0.4, 2024-01-02T03:04:05Z, W-2.3.0.1';
    await storage.db.updateTable('devices').set({ bversion }).where('id', '=', device.id).execute();
    storage.bus.publish(busTopics.liveEvent, { deviceId: device.id, event: { type: 'online', data: null } });
    await until(() => broker.kept.get(`${base()}/${device.uuid}/availability`), 'online');
    await until(() => state().installed, '1.0.0.4');
  });

  it('are set by commands in the name of the owner of the product, and nothing else sets them', async () => {
    await connect();
    await announced();
    const command = (name: string, payload: string, retain?: boolean) =>
      broker.say(`${base()}/${device.uuid}/set/${name}`, payload, retain);
    await command('lamp', '1');
    await until(() => state().controls.lamp, 1);
    expect(await controls()).toEqual([{ name: 'lamp', value: '1', source: 'user' }]);
    const { user_id } = await storage.db.selectFrom('control_values').select('user_id').executeTakeFirstOrThrow();
    expect(user_id).toBe(scene.people.owner.id);
    // Not a value of it, out of its range, no control of that name, no device of that name.
    for (const [name, payload] of [
      ['lamp', 'ON'],
      ['lamp', '2'],
      ['level', '3'],
      ['toString', '1'],
    ] as const) {
      broker.published.length = 0;
      await command(name, payload);
      // What holds is said again, so that the switch goes back.
      await until(() => broker.published.some(([topic]) => topic === stateTopic()), true);
    }
    await broker.say(`${base()}/${'0'.repeat(40)}/set/lamp`, '0');
    await broker.say(`${base()}/${device.uuid}/set/lamp/more`, '0');
    await command('greeting', 'Ahoy');
    await until(() => state().controls, { lamp: 1, greeting: 'Ahoy', alarm_at: null });
    expect(await controls()).toMatchObject([{ name: 'greeting' }, { name: 'lamp', value: '1' }]);
  });

  it('are not set by a command that the broker has kept', async () => {
    await broker.say(`${base()}/${device.uuid}/set/lamp`, '1', true);
    await connect();
    await announced();
    await broker.say(`${base()}/${device.uuid}/set/greeting`, 'Ahoy');
    await until(() => state().controls?.greeting, 'Ahoy');
    expect(await controls()).toMatchObject([{ name: 'greeting' }]);
  });

  it('are said again when the broker comes back, and when Home Assistant starts', async () => {
    await connect();
    await announced();
    const all = broker.published.map(([topic]) => topic);
    broker.published.length = 0;
    broker.cut();
    await until(() => broker.published.some(([topic]) => topic === stateTopic()), true);
    expect(broker.published.map(([topic]) => topic).filter((topic) => topic !== `${base()}/status`)).toEqual(
      all.slice(1),
    );
    await until(() => broker.kept.get(`${base()}/status`), 'online');
    broker.published.length = 0;
    await broker.say('homeassistant/status', 'online');
    await until(() => broker.published.length, all.length);
    expect(broker.published.map(([topic]) => topic)).toEqual(all);
  });

  it('name what a device can no longer do once more, so that it goes', async () => {
    await connect();
    await announced();
    const { status: _, ...streams } = capabilities.streams;
    await activate({ ...capabilities, streams });
    const component = () => JSON.parse(broker.kept.get(configTopic()) ?? '').components.status;
    await until(component, { platform: 'sensor' });
  });

  it.each(['has gone to another product', 'has been deleted'])('are taken back when one %s', async (what) => {
    await connect();
    await announced();
    if (what === 'has been deleted')
      unwrap(await scene.as('admin').call('devices.remove', { params: { device_id: device.id } }));
    else {
      const elsewhere = await scene.add();
      await storage.db.updateTable('devices').set({ product_id: elsewhere.id }).where('id', '=', device.id).execute();
    }
    await until(() => [...broker.kept], [[`${base()}/status`, 'online']]);
    await until(() => storage.db.selectFrom('announced').selectAll().execute(), []);
  });

  it('are taken back by the next process when one goes while none runs', async () => {
    await connect();
    await announced();
    const elsewhere = await scene.add();
    await scene.app.service.close();
    expect(broker.kept.get(`${base()}/status`)).toBe('offline');
    await storage.db.updateTable('devices').set({ product_id: elsewhere.id }).where('id', '=', device.id).execute();
    others.push(await buildApp(storage, { settings }));
    await until(() => [...broker.kept], [[`${base()}/status`, 'online']]);
  });

  it.each(['the setting is off', 'the connector is deleted', 'the owner is disabled'])(
    'are taken back when %s',
    async (what) => {
      await connect();
      await announced();
      if (what === 'the setting is off') await change({ home_assistant: false });
      else if (what === 'the connector is deleted') await removeConnector();
      else
        await storage.db.updateTable('users').set({ disabled_at: 1 }).where('id', '=', scene.people.owner.id).execute();
      await until(() => [...broker.kept], []);
      await until(() => broker.connections(), 0);
    },
  );

  it.each([
    ['the setting is off', () => change({ home_assistant: false }), /./, undefined],
    ['the connector is deleted', () => removeConnector(), /./, undefined],
    ['the code is another one', () => change({}, 'HAUS'), /\/HOME\//, /^homeassistant\/device.*config$/],
    ['devices are looked for elsewhere', () => change({ discovery_prefix: 'ha' }), /^homeassistant/, /^ha\/device/],
  ])('are taken back at a broker that was away when %s', async (_what, act, gone, there) => {
    await connect();
    await announced();
    const keptThere = (pattern: RegExp) => [...broker.kept.keys()].filter((topic) => pattern.test(topic)).length;
    broker.away(true);
    await until(() => broker.connections(), 0);
    await act();
    await scene.app.clock.advance(10_000);
    expect(keptThere(gone)).toBeGreaterThan(0);
    broker.away(false);
    await until(() => [keptThere(gone), there && keptThere(there)], [0, there && 1]);
    const places = () => storage.db.selectFrom('announced_places').select('left_at').execute();
    await until(places, there ? [{ left_at: null }] : []);
  });

  it('are announced by one of several processes, and by another when that ends', async () => {
    await connect();
    await announced();
    others.push(await buildApp(storage, { settings }));
    for (let step = 0; step < 20; step++) await until(() => broker.connections(), 1);
    const own = broker.published.length;
    await scene.app.service.close();
    await until(() => broker.published.length > own && broker.kept.get(`${base()}/status`), 'online');
    expect(broker.connections()).toBe(1);
  });

  it('stay available when the last words of an earlier process come late', async () => {
    await connect();
    await announced();
    broker.published.length = 0;
    await broker.say(`${base()}/status`, 'offline', true);
    await until(() => broker.published, [[`${base()}/status`, 'online']]);
  });

  it('are looked for at another place where the connector says so, and wrong places are refused', async () => {
    await connect({ discovery_prefix: 'ha/test' });
    await until(() => broker.kept.has(`ha/test/device/moorage_${device.uuid}/config`), true);
    const params = { connector_id: connectorId };
    for (const wrong of [{ discovery_prefix: 'ha/#' }, { home_assistant: 'yes' }]) {
      const body = { title: 'Home', code: 'HOME', opts: opts(wrong) };
      const refused = await scene.as('owner').call('connectors.update', { params, body });
      const [name = ''] = Object.keys(wrong);
      expect(refused).toMatchObject({ ok: false, error: { status: 400 } });
      expect(refused.ok ? '' : refused.error.body.message).toContain(`opts.${name}`);
    }
  });
});
