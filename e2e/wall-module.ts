import type { Client } from '@moorage/api';
import { unwrap } from '@moorage/base';

/** What a module has been set to by whoever hung it on the wall. */
export const wallDefaults = {
  'wlan.ssid': 'harbour-open',
  'wlan.auto_join.enabled': '1',
  'http.server.enabled': '1',
  'ntp.enabled': '0',
  'mdns.enabled': '1',
  'mdns.service': 'http',
  'broadcast.interval': '1',
};

/** A platform of hardware whose firmware nobody has, and a product on it. */
export async function makeWallProduct(client: Client, partId: string) {
  const platform = { code: 'WALL1', title: 'Wall 1', part_id: partId, manufacturer: 'OLD' };
  const { id: platform_id } = unwrap(await client.call('platforms.create', { body: platform })).value;
  const params = { platform_id };
  const flavor = { code: 'W', title: 'Base edition' };
  unwrap(await client.call('platforms.addFlavor', { params, body: flavor }));
  const flavor_id = unwrap(await client.call('platforms.get', { params })).value.flavors[0]?.id ?? '';
  const firmware = { flavor_id, label: 'W', version: '2.3.0.1', files: [] };
  const { id: firmware_id } = unwrap(await client.call('platforms.addFirmware', { params, body: firmware })).value;
  const body = { title: 'Gauge', code: 'GAUGE', meta: '', summary: '', description: '', platform_id };
  const product = unwrap(await client.call('products.create', { body })).value;
  return { product, firmware_id };
}
