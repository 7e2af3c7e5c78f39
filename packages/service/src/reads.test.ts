import { generateKeyPairSync, sign } from 'node:crypto';
import { callUrl, contract, deviceListenerContract, doorRoutesContract, endpointsOf } from '@moorage/api';
import { unwrap } from '@moorage/base';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { expect, it } from 'vitest';
import { makeToken } from './core/auth/accounts.ts';
import { softwarePlatform } from './core/devices/rules.ts';
import type { Storage } from './engine/db/storage.ts';
import { changedColumns, rowReader } from './testing/changed-columns.ts';
import { type DoorWorld, doorWorld } from './testing/door-world.ts';
import { buildApp, eachDatabase } from './testing/index.ts';
import { injectAny } from './testing/inject-events.ts';
import { menderArtifact } from './testing/mender-artifact.ts';
import { inputs, openScene, paramsOf } from './testing/spelling-scene.ts';

const readsOf = (resources: Parameters<typeof endpointsOf>[0], prefix = '') =>
  endpointsOf(resources)
    .filter(({ shape }) => shape.method === 'GET')
    .map(({ name, shape }) => ({ name: `${prefix}${name}`, shape }));
const serviceReads = [...readsOf(contract), ...readsOf(deviceListenerContract, 'listener.')];
const doorReads = readsOf(doorRoutesContract, 'door.');

/** What a GET changes all the same, as tables and columns, and why. Everything else that changes something is a POST. */
const mayChange: readonly { readonly reads: RegExp; readonly what: readonly string[]; readonly why: string }[] = [
  {
    reads: /^(?!listener\.|door\.)/,
    what: ['tokens.last_used_at', 'tokens.last_used_ip'],
    why: 'a token notes its last use',
  },
  {
    reads: /^audit\./,
    what: ['audit', 'audit_chain', 'audit_queue'],
    why: 'changes that wait get their places in the chain, which they would get a second later',
  },
  { reads: /^metrics\.activity$/, what: ['polls'], why: 'polls that are counted in memory are written first' },
  {
    reads: /^listener\./,
    what: ['devices.ip', 'devices.last_seen_at', 'polls'],
    why: 'a device notes its last contact, and counts of polls are written with it',
  },
  {
    reads: /^(deviceUpdates\.file|listener\.ota\.file|door\.ddi\.artifact|door\.mender\.download)$/,
    what: ['updates.state', 'updates.downloading_at'],
    why: 'the protocols fetch files by GET, and say in no other way that a download has begun',
  },
  {
    reads: /^listener\.data\.controls$/,
    what: ['controls.delivered'],
    why: 'the wire protocol delivers values by GET',
  },
  {
    reads: /^door\.(ddi\.base|ddi\.bundle|mender\.nextOfQuery)$/,
    what: ['devices', 'door_devices', 'door_tokens.last_used_at', 'updates', 'door_updates', 'logs', 'attributes'],
    why: 'the protocols of other makers poll by GET: a client registers, reports and gets its update by it',
  },
  {
    reads: /^door\.ddi\.(deployment|confirmation)$/,
    what: ['door_updates', 'blobs.md5', 'blobs.sha1', 'settings'],
    why: 'what a client has seen is cancelled later; digests of a file and the key of links are made at first use',
  },
];

const others: typeof inputs = {
  ...inputs,
  'rollouts.frozen': ({ published }) => ({ params: { product_id: published } }),
  'listener.data.offer': () => ({ params: { name: 'thermostat.json' } }),
};

/** Compares all rows before and after each read. */
async function watching(storage: Storage) {
  const allRows = await rowReader(storage);
  const [wrong, read, used] = [[] as string[], new Set<string>(), new Set<string>()];
  return {
    wrong,
    /** Names of the reads so far. */
    read,
    /** What they changed, as the list has it. */
    used,
    async send(name: string, app: FastifyInstance, request: InjectOptions): Promise<string> {
      const found = [...serviceReads, ...doorReads].find((one) => one.name === name);
      if (!found) throw new Error(`There is no read "${name}"`);
      const before = await allRows();
      const reply = await injectAny(app, found.shape, { method: 'GET', ...request });
      if (reply.statusCode >= 400) wrong.push(`${name}: ${reply.statusCode} ${reply.payload}`);
      for (const changed of changedColumns(before, await allRows())) {
        const listed = mayChange.filter(({ reads }) => reads.test(name)).flatMap(({ what }) => what);
        const what = listed.find((one) => changed === one || changed.startsWith(`${one}.`));
        if (what === undefined) wrong.push(`${name} changes ${changed}`);
        else used.add(what);
      }
      read.add(name);
      return reply.payload;
    },
  };
}

/** What the reads of such names may change, each once. */
const listedFor = (names: readonly string[]): string[] =>
  [
    ...new Set(mayChange.filter(({ reads }) => names.some((name) => reads.test(name))).flatMap(({ what }) => what)),
  ].sort();

const host = 'hub.local:8443';
const pathOf = (address: string): string => address.replace(`http://${host}`, '');

/** A product that is open to update clients, with a release, and the header of its clients of DDI. */
async function offeredProduct({ app, api, openProduct }: DoorWorld, consent: boolean) {
  const made = await openProduct();
  const params = { product_id: made.product.id };
  unwrap(await api.call('doors.set', { params, body: { ddi: true, mender: true, waiting: false, consent } }));
  const bundle = await made.bundleOf('release');
  await app.make.resource(Buffer.from('x'), { bundle_id: bundle.id, filename: 'os.raucb' });
  return { ...made, bundle, header: `GatewayToken ${(await made.tokenOf('ddi')).token}` };
}

/** A product with a release for clients of Mender, and the header of one. */
async function menderHeader({ app, api, owner, platform, openProduct }: DoorWorld): Promise<string> {
  const { product, tokenOf } = await openProduct();
  const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
  const draft = { product_id: product.id, firmware_id: firmware.id, user_id: owner.id };
  const params = { bundle_id: (await app.make.bundle(draft)).id };
  const image = { params: { ...params, name: 'x.mender' }, body: menderArtifact('next', ['board']) };
  unwrap(await api.call('bundles.addArtifact', image));
  unwrap(await api.call('bundles.setState', { params, body: { state: 'published' } }));
  unwrap(await api.call('bundles.setTag', { params, body: { tag: 'release' } }));
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pubkey = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const { token: tenant_token } = await tokenOf('mender');
  const payload = JSON.stringify({ id_data: '{"mac":"02:00:00:00:00:01"}', pubkey, tenant_token });
  const signature = sign('sha256', Buffer.from(payload), privateKey).toString('base64');
  const url = '/api/devices/v1/authentication/auth_requests';
  const headers = { 'x-men-signature': signature, 'content-type': 'application/json' };
  const reply = await app.service.devices.inject({ method: 'POST', url, headers, payload });
  return `Bearer ${reply.payload}`;
}

// API-RULE-audit-4
eachDatabase('a GET changes nothing', (open) => {
  it('of the service, nor by the wire protocol of devices, beside what is listed', async () => {
    const app = await buildApp(await open(), { settings: { deviceInsecure: true } });
    await app.service.devices.ready();
    const software = await app.make.platform({ code: softwarePlatform, part_id: null });
    const scene = await openScene(app, software.id);
    const as = app.client.as(scene.caller.token);
    const params = { device_id: scene.device };
    unwrap(await as.call('rollouts.pin', { params, body: { bundle_id: scene.bundle, reason: 'x' } }));
    const watched = await watching(app.storage);
    for (const { name, shape } of serviceReads) {
      // There is something that waits to be written: a change, a value for the device, the count of its poll.
      unwrap(await as.call('data.setControl', { params: { ...params, name: 'a' }, body: { value: 1 } }));
      unwrap(await as.call('deviceUpdates.query', { params, body: {} }));
      const shown = { userId: scene.caller.id, title: name, client: null, atMs: app.clock.now() };
      const { token } = await makeToken(app.storage.db, shown);
      const { query, ...more } = others[name]?.(scene) ?? {};
      // Safe: the scene has texts alone.
      const blanks = { ...paramsOf(scene), ...more.params } as Record<string, string>;
      const url = callUrl(shape, { params: blanks, ...(query && { query }) });
      const isDevice = name.startsWith('listener.');
      const headers = isDevice
        ? { 'x-device-uuid': scene.uuid, 'x-device-token': scene.secret, host }
        : { authorization: `Bearer ${token}` };
      await watched.send(name, isDevice ? app.service.devices : app.api, { url, headers });
    }
    expect(watched.wrong).toEqual([]);
    expect([...watched.used].sort()).toEqual(listedFor(serviceReads.map(({ name }) => name)));
  });

  it('by the protocols of other makers, beside what is listed', async () => {
    const world = await doorWorld(await open());
    const { api, app } = world;
    const watched = await watching(app.storage);
    const read = (name: string, url: string, authorization: string, more = {}) =>
      watched.send(`door.${name}`, app.service.devices, { url, headers: { host, authorization, ...more } });
    const [plain, asking] = [await offeredProduct(world, false), await offeredProduct(world, true)];
    const at = '/DEFAULT/controller/v1';
    /** Polls as one client, and returns where a link leads. */
    const linked = async (client: string, { header }: typeof plain, link: string): Promise<string> =>
      pathOf(JSON.parse(await read('ddi.base', `${at}/${client}`, header))._links[link].href);

    const deployment = await linked('one', plain, 'deploymentBase');
    await read('ddi.deployment', deployment, plain.header);
    const artifacts = `${at}/one/softwaremodules/${plain.bundle.id}/artifacts`;
    await read('ddi.artifacts', artifacts, plain.header);
    await read('ddi.artifact', `${artifacts}/image.swu`, plain.header);
    await read('ddi.artifact', `${artifacts}/image.swu.MD5SUM`, plain.header);
    const id = deployment.replace(/.*\/|\?.*/g, '');
    await world.ddiClient('one', plain.header).say(id, 'closed', 'success');
    await read('ddi.installed', `${at}/one/installedBase/${id}`, plain.header);

    await read('ddi.deployment', await linked('two', plain, 'deploymentBase'), plain.header);
    await read('ddi.bundle', `${at}/two/update.raucb`, plain.header, { 'rauc-system-version': '1' });
    const next = await plain.bundleOf(null);
    unwrap(await api.call('bundles.setTag', { params: { bundle_id: next.id }, body: { tag: 'release' } }));
    await read('ddi.cancel', await linked('two', plain, 'cancelAction'), plain.header);

    const confirmation = await linked('three', asking, 'confirmationBase');
    await read('ddi.confirmations', `${at}/three/confirmationBase`, asking.header);
    await read('ddi.confirmation', confirmation, asking.header);

    const mender = await menderHeader(world);
    const query = 'artifact_name=before&device_type=board';
    const offer = await read(
      'mender.nextOfQuery',
      `/api/devices/v1/deployments/device/deployments/next?${query}`,
      mender,
    );
    await read('mender.download', pathOf(JSON.parse(offer).artifact.source.uri), mender);

    expect(watched.wrong).toEqual([]);
    expect([...watched.read].sort()).toEqual(doorReads.map(({ name }) => name).sort());
    expect([...watched.used].sort()).toEqual(listedFor(doorReads.map(({ name }) => name)));
  });
});
