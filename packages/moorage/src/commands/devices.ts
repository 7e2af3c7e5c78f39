import { type DeviceListQuery, type DeviceRecord, deviceStates, healthStates } from '@moorage/api';
import { productNamed } from '../client/lookups.ts';
import { clientOptions, connect } from '../client/service-client.ts';
import { defineCliCommand } from '../command-line/define.ts';
import { reportRows, timeText } from '../command-line/table.ts';
import { wordOf } from '../command-line/words.ts';

const seenText = (at: string | null): string => (at === null ? 'never' : timeText(at, 'minute'));

const row = (device: DeviceRecord) => {
  const { id, title, product, version, tag, health, last_seen_at } = device;
  return [id, title, product, version ?? '', tag, health.replace('_', ' '), seenText(last_seen_at)];
};

export const devicesCommand = defineCliCommand({
  name: 'devices',
  summary: 'List devices, as a table; the filter is that of segments and rollouts',
  options: {
    ...clientOptions,
    filter: { kind: 'text', placeholder: 'FILTER', help: 'RSQL: label.region==eu;last_seen=ge=-7d' },
    product: { kind: 'text', placeholder: 'PRODUCT', help: 'code or id of the product' },
    state: { kind: 'text', placeholder: 'STATE', help: deviceStates.join(', ') },
    health: { kind: 'text', placeholder: 'HEALTH', help: `as it is heard from: ${healthStates.join(', ')}` },
    find: { kind: 'text', placeholder: 'TEXT', help: 'part of the title, uuid or address' },
    sort: {
      kind: 'text',
      placeholder: 'FIELD',
      default: '-created_at',
      help: 'title, uuid, state, created_at, activated_at or last_seen_at, "-" before it for descending',
    },
    limit: { kind: 'count', placeholder: 'DEVICES', default: 100, help: 'as many at most' },
  },
  async run({ options, reporter }) {
    const { filter, find, limit } = options;
    const state = wordOf(deviceStates, options.state, 'Option --state');
    const health = wordOf(healthStates, options.health, 'Option --health');
    const service = await connect(options, [
      ['filter', 'Option --filter'],
      ['sort', 'Option --sort'],
      ['q', 'Option --find'],
    ]);
    const product = options.product === undefined ? undefined : await productNamed(service, options.product);
    const fitting: DeviceListQuery = {
      // Safe: the service checks it, and the refusal names the option.
      sort: options.sort as NonNullable<DeviceListQuery['sort']>,
      ...(filter !== undefined && { filter }),
      ...(find !== undefined && { q: find }),
      ...(state && { state }),
      ...(health && { health }),
      ...(product && { product_id: product.id }),
    };
    let total = 0;
    const devices = await service.all(async (page) => {
      const reply = await service.call('devices.list', { query: { ...fitting, ...page } });
      total = reply.total ?? 0;
      return reply;
    }, limit);
    const titles = ['id', 'title', 'product', 'version', 'tag', 'health', 'last seen (UTC)'];
    reportRows(reporter, { event: 'device', titles, row }, devices, total);
  },
});
