import type { Storage } from '../engine/db/storage.ts';
import { buildApp, type TestApp, type TestAppOptions } from './build-app.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/**
 * A product of plain Linux devices that is open to update clients of other makers, with a bundle of two images as its
 * release; the listener is in development mode, so that no test needs a socket.
 */
export async function doorWorld(storage: Storage, options: TestAppOptions = {}) {
  const app = await buildApp(storage, { ...options, settings: { deviceInsecure: true, ...options.settings } });
  const { make } = app;
  await app.service.devices.ready();
  const owner = await make.user();
  const api = app.client.as(owner.token);
  const platform = await make.platform();

  /** A product of the owner with its doors open. */
  async function openProduct(more: Partial<Record<'ddi' | 'mender' | 'waiting', boolean>> = {}) {
    const product = await make.product({ platform_id: platform.id, user_id: owner.id });
    const body = { ddi: true, mender: true, waiting: false, ...more };
    const set = await api.call('doors.set', { params: { product_id: product.id }, body });
    if (!set.ok) throw new Error(set.error.body.message);
    const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const of = { product_id: product.id, firmware_id: firmware.id, user_id: owner.id, state: 'published' as const };
    /** A published bundle with an image for the whole device and one for its boot loader. */
    const bundleOf = async (tag: 'alpha' | 'beta' | 'release' | null) => {
      const bundle = await make.bundle({ ...of, tag });
      await make.resource(bytesOf(`image ${bundle.version}`), { bundle_id: bundle.id, filename: 'image.swu' });
      await make.resource(bytesOf('boot'), { bundle_id: bundle.id, filename: 'boot/loader.swu' });
      return bundle;
    };
    const tokenOf = async (door: 'ddi' | 'mender') => {
      const made = await api.call('doors.addToken', {
        params: { product_id: product.id },
        body: { door, title: 'line' },
      });
      if (!made.ok) throw new Error(made.error.body.message);
      return made.value.value;
    };
    return { product, bundleOf, tokenOf };
  }

  /** The device that a client has become. */
  const deviceNamed = (name: string) =>
    storage.db
      .selectFrom('devices')
      .innerJoin('door_devices', 'door_devices.device_id', 'devices.id')
      .selectAll('devices')
      .where('door_devices.name', '=', name)
      .executeTakeFirst();
  const history = (device_id: string) =>
    storage.db.selectFrom('updates').selectAll().where('device_id', '=', device_id).orderBy('id').execute();
  return { app, owner, api, platform, openProduct, ddiClient: ddiClients(app), deviceNamed, history };
}

/** Calls of one client of DDI; `authorization` is its header. */
const ddiClients =
  ({ service }: TestApp) =>
  (name: string, authorization: string | undefined, tenant = 'DEFAULT') => {
    const at = `/${tenant}/controller/v1/${name}`;
    async function call(method: 'GET' | 'POST' | 'PUT' | 'HEAD', url: string, payload?: object, more: object = {}) {
      const reply = await service.devices.inject({
        method,
        url: url.startsWith('/') ? url : `${at}${url === '' ? '' : '/'}${url}`,
        // As SWUpdate sends them.
        headers: {
          host: 'hub.local:8443',
          'user-agent': 'libcurl-agent/1.0',
          accept: 'application/json',
          charsets: 'utf-8, utf-8',
          ...(authorization && { authorization }),
          ...(payload && { 'content-type': 'application/json' }),
          ...more,
        },
        ...(payload && { payload }),
      });
      const isJson = String(reply.headers['content-type']).startsWith('application/json');
      return {
        status: reply.statusCode,
        headers: reply.headers,
        text: reply.payload,
        ...(isJson && { body: reply.json() }),
      };
    }
    /** The path of a link after the address of the client; nothing when there is no such link. */
    const linkOf = (base: { body?: { _links: Record<string, { href: string }> } }, link: string) =>
      base.body?._links[link]?.href.replace(`http://hub.local:8443${at}/`, '').replace(/\?.*/, '');
    /** A feedback about an update, as SWUpdate sends it. */
    const say = (
      id: string | number,
      execution: string,
      finished: string,
      details: readonly string[] = [],
      more = {},
    ) =>
      call('POST', `deploymentBase/${id}/feedback`, {
        id: String(id),
        status: { execution, result: { finished, ...more }, details },
      });
    /** The status of any request; a text is sent as it is. */
    const send = async (method: string, url: string, body: unknown, headers: Readonly<Record<string, string>>) => {
      const reply = await service.devices.inject({
        // Safe: the framework's type lacks methods that clients may still use.
        method: method as 'GET',
        url: `${at}${url === '' ? '' : '/'}${url}`,
        headers: { host: 'hub.local:8443', ...(authorization && { authorization }), ...headers },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return reply.statusCode;
    };
    return { call, send, linkOf, say, poll: () => call('GET', '') };
  };

export type DoorWorld = Awaited<ReturnType<typeof doorWorld>>;

/** The same, with clients of DDI that a test begins with. */
export async function ddiWorld(storage: Storage) {
  const world = await doorWorld(storage);

  /** A client with the token of a new product, and what stands around it. */
  async function newcomer(name: string) {
    const made = await world.openProduct();
    const { token } = await made.tokenOf('ddi');
    return { ...made, token, client: world.ddiClient(name, `GatewayToken ${token}`) };
  }

  /** The same, with a release on offer of which the client has been shown. */
  async function updating(name: string) {
    const made = await newcomer(name);
    const release = await made.bundleOf('release');
    const link = made.client.linkOf(await made.client.poll(), 'deploymentBase') ?? '';
    const id = link.replace('deploymentBase/', '');
    const shown = await made.client.call('GET', link);
    const device = await world.deviceNamed(name);
    if (!device) throw new Error('The client has not registered');
    const states = async () => (await world.history(device.id)).map(({ state }) => state);
    return { ...made, release, id, shown, device, states };
  }
  return { ...world, newcomer, updating };
}

export type DdiWorld = Awaited<ReturnType<typeof ddiWorld>>;
