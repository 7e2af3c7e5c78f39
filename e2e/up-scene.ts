import { type Client, createClient } from '@moorage/api';
import { type Moorage, moorage } from './command-line.ts';

export const login = { MOORAGE_ADMIN_EMAIL: 'owner@example.com', MOORAGE_ADMIN_PASSWORD: 'a long password' };
export const freePorts = ['--port', '0', '--device-port', '0', '--serial', 'tcp:127.0.0.1:0'];

/** Starts `moorage up` on a data folder and free ports. */
export const startUp = (data: string, ...more: string[]): Moorage =>
  moorage(['up', '--data', data, ...freePorts, ...more], login);

/** A client of the service that has said where it listens, signed in as its administrator. */
export async function administratorOf(ready: Record<string, unknown>): Promise<Client> {
  const client = createClient({ baseUrl: String(ready.api) });
  const body = { username: login.MOORAGE_ADMIN_EMAIL, password: login.MOORAGE_ADMIN_PASSWORD };
  const session = await client.call('auth.login', { body });
  if (!session.ok) throw new Error(session.error.body.message);
  return client.as(session.value.value.token);
}

/** The device of the module and its updates, as the administrator sees them. */
export async function stateOf(ready: Record<string, unknown>) {
  const admin = await administratorOf(ready);
  const device = await admin.call('devices.get', { params: { identifier: String(ready.uuid) } });
  if (!device.ok) throw new Error(device.error.body.message);
  const updates = await admin.call('deviceUpdates.list', { params: { device_id: device.value.value.id } });
  const products = await admin.call('products.list', { query: { q: 'TIDE_GAUGE' } });
  const devices = await admin.call('devices.list', {});
  return {
    device: device.value.value,
    updates: updates.ok ? updates.value.value : [],
    products: products.ok ? products.value.value : [],
    devices: devices.ok ? devices.value.value : [],
  };
}
