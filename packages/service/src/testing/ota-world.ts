import type { Storage } from '../engine/db/storage.ts';
import { hashSecret, newTokenValue } from '../engine/secrets.ts';
import { buildApp, type TestApp, type TestAppOptions } from './build-app.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/**
 * Products with bundles, and devices that ask for updates: the listener is in development mode, so that no test needs
 * a socket.
 */
export async function otaWorld(storage: Storage, options: TestAppOptions = {}) {
  const app = await buildApp(storage, { ...options, settings: { deviceInsecure: true, ...options.settings } });
  await app.service.devices.ready();
  const { make } = app;
  const people = {
    owner: await make.user(),
    maker: await make.user(),
    tester: await make.user(),
    stranger: await make.user(),
  };
  const platform = await make.platform();
  return { app, people, platform, ...products(app, people, platform), ...devices(app, people.owner, platform) };
}

export type OtaWorld = Awaited<ReturnType<typeof otaWorld>>;
type Platform = Awaited<ReturnType<TestApp['make']['platform']>>;
type Owner = Awaited<ReturnType<TestApp['make']['user']>>;

function products({ make }: TestApp, { maker, tester }: { maker: Owner; tester: Owner }, platform: Platform) {
  return {
    /** A product whose bundles have a firmware file, two resources and one that is excluded; one is its release. */
    async productWithRelease(more: object = {}) {
      const product = await make.product({ platform_id: platform.id, user_id: maker.id, ...more });
      await make.member(product.id, tester.id, 'tester');
      const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
      await make.firmwareFile(bytesOf('firmware'), { firmware_id: firmware.id, filename: 'wifi.bin', type: 'WIFI_FW' });
      const of = { product_id: product.id, firmware_id: firmware.id, user_id: maker.id };
      const bundleOf = async (
        tag: 'alpha' | 'beta' | 'release' | null,
        state: 'published' | 'archive' = 'published',
      ) => {
        const bundle = await make.bundle({ ...of, state, tag });
        const { id: bundle_id } = bundle;
        await make.resource(bytesOf('0123456789'), { bundle_id, filename: 'web/a page.html', version: '1.2.3.4' });
        await make.resource(bytesOf('{}'), { bundle_id, filename: 'conf.json' });
        await make.resource(bytesOf('secret'), { bundle_id, filename: 'notes.txt', exclude: 1 });
        const time = `${new Date(bundle.created_at).toISOString().slice(0, 19)}Z`;
        const bversion = `${product.product}-${bundle.version}, ${time}, ${firmware.label}-${firmware.version}`;
        return { ...bundle, bversion };
      };
      return { product, bundleOf, release: await bundleOf('release') };
    },
  };
}

function devices(app: TestApp, owner: Owner, platform: Platform) {
  const { make, storage } = app;
  async function deviceOn(product_id: string, more: object = {}) {
    const token = newTokenValue();
    const at = { platform_id: platform.id, product_id, user_id: owner.id, state: 'active' as const };
    return { ...(await make.device({ ...at, provision_token_hash: hashSecret(token), ...more })), token };
  }
  type Device = Awaited<ReturnType<typeof deviceOn>>;

  const inject = (device: Device, method: 'GET' | 'POST', url: string, payload?: object, headers: object = {}) =>
    app.service.devices.inject({
      method,
      url,
      headers: { 'x-device-uuid': device.uuid, 'x-device-token': device.token, host: 'hub.local:8443', ...headers },
      ...(payload && { payload }),
    });
  const post = async (device: Device, url: string, payload: object) => {
    const reply = await inject(device, 'POST', url, payload);
    return { status: reply.statusCode, ...reply.json() };
  };
  const history = (device: Device) =>
    storage.db.selectFrom('updates').selectAll().where('device_id', '=', device.id).orderBy('id').execute();
  return {
    /** A device of `owner` on a product, with the token that identifies it. */
    deviceOn,
    /** A call of the device. */
    inject,
    ask: (device: Device, body: object = {}) => post(device, '/ota', body),
    report: (device: Device, bundle_id: string, result: number, bversion: string) =>
      post(device, '/ota/result', { bundle_id, result, bversion }),
    /** All updates of the device, oldest first. */
    history,
    states: async (device: Device) => (await history(device)).map(({ state }) => state),
    /** The device's record, as its owner sees it. */
    async record(device: Device) {
      const reply = await app.client.as(owner.token).call('devices.get', { params: { identifier: device.id } });
      if (!reply.ok) throw new Error(reply.error.body.message);
      return reply.value.value;
    },
    /** Types of the log rows about the device. */
    logsOf: async (device: Device): Promise<string[]> =>
      (
        await storage.db
          .selectFrom('logs')
          .select('type') // A row of several names them in its data.
          .where((eb) => eb.or([eb('device_id', '=', device.id), eb('data', 'like', `%"devices":[%${device.id}%`)]))
          .execute()
      ).map(({ type }) => type),
  };
}
