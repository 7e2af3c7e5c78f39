import type { ProductRecord } from '@moorage/api';
import { clientOptions, connect } from '../client/service-client.ts';
import { defineCliCommand } from '../command-line/define.ts';
import { reportRows } from '../command-line/table.ts';

const row = ({ product, title, platform, state, version, tag, device_count, role }: ProductRecord) => [
  product,
  title,
  platform,
  state,
  version,
  tag,
  device_count,
  role,
];

export const productsCommand = defineCliCommand({
  name: 'products',
  summary: 'List the products of a service, as a table',
  options: {
    ...clientOptions,
    find: { kind: 'text', placeholder: 'TEXT', help: 'part of the title or code' },
  },
  async run({ options, reporter }) {
    const service = await connect(options, [['q', 'Option --find']]);
    const { find } = options;
    const products = await service.all((page) =>
      service.call('products.list', { query: { ...page, ...(find !== undefined && { q: find }) } }),
    );
    const titles = ['product', 'title', 'platform', 'state', 'version', 'tag', 'devices', 'your role'];
    reportRows(reporter, { event: 'product', titles, row }, products);
  },
});
