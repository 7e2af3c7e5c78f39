import type { LogRecord } from '@moorage/api';
import { expect, test } from 'vitest';
import { LogFollow } from './log-follow.ts';
import type { ServiceClient } from './service-client.ts';

const log = (id: string, more: Partial<LogRecord> = {}): LogRecord => ({
  id,
  type: 'ota.ok',
  level: 'info',
  message: `Log ${id}`,
  user_id: null,
  user: null,
  device_id: null,
  device: null,
  product_id: null,
  product: null,
  bundle_id: null,
  ip: null,
  client: null,
  data: {},
  created_at: '1000',
  ...more,
});

/** Follows with this query; `missed` is what a look finds. */
function follow(query: ConstructorParameters<typeof LogFollow>[0]['query'] = {}, missed: readonly LogRecord[] = []) {
  const shown: string[] = [];
  const looks: unknown[] = [];
  const service = {
    async all(page: (query: object) => Promise<{ value: readonly LogRecord[] }>) {
      return (await page({})).value;
    },
    async call(_name: string, { query: asked }: { query: object }) {
      looks.push(asked);
      return { value: missed };
    },
    // Only lists of logs are asked for.
  } as unknown as ServiceClient;
  const following = new LogFollow({ service, query, show: ({ id }) => void shown.push(id) });
  return { following, shown, looks };
}

test('logs are shown once and in order, also those of a gap', async () => {
  const { following, shown, looks } = follow({}, [log('b'), log('c', { created_at: '1500' }), log('d')]);
  following.begin([log('a'), log('b', { created_at: '1200' })], 5_000);
  const events = ['', JSON.stringify(log('c')), JSON.stringify(log('e')), 'no JSON', '{"count":3,"type":"left_out"}'];
  for (const data of events) void following.onEvent(data);
  await following.onEvent('');
  expect(shown).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(looks).toMatchObject([{ from: 1_200, sort: 'created_at' }, { from: 1_500 }]);
});

test('without older ones a gap is looked at from the beginning of the command', async () => {
  const { following, looks } = follow();
  following.begin([], 5_000);
  await following.onEvent('');
  expect(looks).toMatchObject([{ from: 5_000 }]);
});

test.each([
  [{ device_id: 'x' }, { device_id: 'x' }],
  [{ product_id: 'x' }, { product_id: 'x' }],
  [{ level: 'error' }, { level: 'error' }],
  [{ type: 'ota.fail' }, { type: 'ota.fail' }],
  [{ q: 'QUAY' }, { message: 'At the quay' }],
] as const)('%j shows what fits alone', async (query, more) => {
  const { following, shown } = follow(query);
  following.begin([], 0);
  await following.onEvent(JSON.stringify(log('other')));
  await following.onEvent(JSON.stringify(log('fits', more)));
  expect(shown).toEqual(['fits']);
});
