import { unwrap } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { inspect, openQuay, type Quay, skipReason } from './harness.ts';
import { routePaths, tabKeys } from './pages.ts';

/** Routes whose own tests inspect each of their tabs, with more to see than the example data has. */
const inspectedElsewhere = ['/devices/:id/:tab?', '/products', '/products/:id/:tab?', '/bundles/:id', '/rollouts/:id'];

/** The addresses of routes with a blank for a tab: the first tab needs no key. */
const tabbed: Readonly<Record<string, readonly string[]>> = {
  '/account/:tab?': [
    '/account',
    ...tabKeys('account/account.tsx')
      .slice(1)
      .map((key) => `/account/${key}`),
  ],
};

/** The addresses of routes with a blank for an id, from the example data. */
const lookedUp: Readonly<Record<string, (quay: Quay) => Promise<string>>> = {
  '/platforms/:id': async ({ client }) => {
    const platforms = await client.call('platforms.list', { query: { limit: 1 } });
    return `/platforms/${platforms.ok ? platforms.value.value[0]?.id : undefined}`;
  },
  '/logs/:id': async ({ client }) => {
    const logs = await client.call('logs.list', { query: { limit: 1, type: 'ota.ok' } });
    return `/logs/${logs.ok ? logs.value.value[0]?.id : undefined}`;
  },
};

/** Every route of the console that has no test of its own, and two addresses that show something else. */
const pages = [
  ...routePaths()
    .filter((path) => !inspectedElsewhere.includes(path))
    .flatMap((path) => tabbed[path] ?? path),
  '/devices?state=disabled',
  '/no/such/page',
];

describe.skipIf(skipReason)('a view of the console', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay();
    const device = await quay.client.call('devices.get', { params: { identifier: quay.uuid } });
    if (!device.ok) throw new Error(device.error.body.message);
    unwrap(
      await quay.client.call('devices.update', {
        params: { device_id: device.value.value.id },
        body: { location: { lat: 53.54, lon: 9.97, city: 'Hamburg', country: 'Germany' } },
      }),
    );
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test.each(pages)('%s has nothing that axe finds, at both widths and in both colours', async (page) => {
    const path = (await lookedUp[page]?.(quay)) ?? page;
    expect(path, 'a blank of a route that this test cannot fill').not.toContain(':');
    await inspect(quay, { path, name: page.replaceAll(/\W+/g, '-').replace(/^-/, '') });
  });

  test('that is inspected elsewhere is a route', () => {
    expect(routePaths()).toEqual(expect.arrayContaining(inspectedElsewhere));
  });
});
