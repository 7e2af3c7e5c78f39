import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { unwrap } from '@moorage/base';
import type { Storage } from '../engine/db/storage.ts';
import { doorWorld } from './door-world.ts';
import { menderArtifact } from './mender-artifact.ts';

export const menderApi = '/api/devices/v1';
export const deployments = `${menderApi}/deployments/device/deployments`;

/** The key of a device. */
export interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** A key on a curve, as small devices have them. */
export const ec = (): Keys => generateKeyPairSync('ec', { namedCurve: 'P-256' });

let macs = 0;

/** A hardware address that no device of the tests has yet. */
export const newMac = (): string => `02:00:00:00:00:${(++macs).toString(16).padStart(2, '0')}`;

type World = Awaited<ReturnType<typeof doorWorld>>;

/** Clients of Mender. */
const menderClients = (world: World) => {
  /** Calls of one client, as that of Mender makes them. */
  function menderClient(
    mac: string,
    tenantToken: string,
    { publicKey, privateKey }: Keys = ec(),
    algorithm: 'sha256' | null = 'sha256',
  ) {
    let token = '';
    async function call(method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, payload?: unknown, more: object = {}) {
      const reply = await world.app.service.devices.inject({
        method,
        url,
        headers: {
          host: 'hub.local:8443',
          authorization: `Bearer ${token}`,
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...more,
        },
        ...(payload !== undefined && { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
      });
      return { status: reply.statusCode, text: reply.payload, headers: reply.headers };
    }
    async function authenticate(tamper: (body: string) => string = (body) => body) {
      const pubkey = publicKey.export({ type: 'spki', format: 'pem' }).toString();
      // The signature is over these very bytes, blanks and all.
      const body = JSON.stringify(
        { id_data: JSON.stringify({ mac }), pubkey, tenant_token: tenantToken, tier: 'standard' },
        null,
        1,
      );
      const signature = sign(algorithm, Buffer.from(body), privateKey).toString('base64');
      const headers = { 'x-men-signature': signature, authorization: 'API_KEY' };
      const reply = await call('POST', `${menderApi}/authentication/auth_requests`, tamper(body), headers);
      if (reply.status === 200) token = reply.text;
      return reply;
    }
    const next = (artifact_name: string, device_type = 'moor-board') =>
      call('POST', '/api/devices/v2/deployments/device/deployments/next', {
        device_provides: { device_type, artifact_name, 'rootfs-image.checksum': 'x' },
        update_control_map: true,
      });
    const say = async (id: string, status: string) =>
      (await call('PUT', `${deployments}/${id}/status`, { status })).status;
    return { call, authenticate, next, say };
  }
  return menderClient;
};

/** Products that are open to them. */
const menderProducts = (world: World) => {
  /** A product, a token of it, and what adds a release with artifacts. */
  async function opened(more: object = {}) {
    const { product, tokenOf } = await world.openProduct(more);
    const { token } = await tokenOf('mender');
    const firmware = await world.app.make.firmware({
      platform_id: world.platform.id,
      flavor_id: world.platform.flavor.id,
    });
    const upload = (bundle_id: string, name: string, payload: Buffer) =>
      world.app.api.inject({
        method: 'POST',
        url: `/api/bundles/${bundle_id}/artifacts/${name}`,
        headers: { authorization: `Bearer ${world.owner.token}`, 'content-type': 'application/octet-stream' },
        payload,
      });
    const draft = () =>
      world.app.make.bundle({ product_id: product.id, firmware_id: firmware.id, user_id: world.owner.id });
    async function release(name: string, types = ['moor-board']) {
      const bundle = await draft();
      const reply = await upload(bundle.id, 'image.mender', menderArtifact(name, types));
      if (reply.statusCode !== 200) throw new Error(reply.payload);
      unwrap(
        await world.api.call('bundles.setState', { params: { bundle_id: bundle.id }, body: { state: 'published' } }),
      );
      unwrap(await world.api.call('bundles.setTag', { params: { bundle_id: bundle.id }, body: { tag: 'release' } }));
      return bundle;
    }
    return { product, token, upload, draft, release };
  }
  return opened;
};

/** A world with clients of Mender, and products that have releases for them. */
export async function menderWorld(storage: Storage) {
  const world = await doorWorld(storage);
  const updatesOf = async (mac: string) => world.history((await world.deviceNamed(mac))?.id ?? '');
  return { ...world, updatesOf, menderClient: menderClients(world), opened: menderProducts(world) };
}

export type MenderWorld = Awaited<ReturnType<typeof menderWorld>>;
