import { type DeviceHealth, healthStates } from '@moorage/api';
import { unwrap } from '@moorage/base';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { type FactsScene, openFactsScene } from './facts-scene.ts';
import { complaints, photograph, seeAll, settled, skipReason } from './harness.ts';

let scene: FactsScene;
const client = () => scene.quay.client;
const productParams = () => ({ params: { product_id: scene.product.id } });
const rolloutOf = async (which: keyof FactsScene['rollouts']) =>
  unwrap(await client().call('rollouts.get', { params: { rollout_id: scene.rollouts[which] } })).value;

const healthTexts: Readonly<Record<DeviceHealth, string>> = {
  connected: 'connected',
  on_time: 'on time',
  late: 'late',
  silent: 'silent',
  never: 'never seen',
  blocked: 'blocked',
};

/** What "since" is followed by, and a bare moment: as a browser in English says them. */
const dateTime = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' });
const dateTimeOf = (at: string | null | undefined): string => dateTime.format(Number(at));
/** Browsers and tests have their own idea of the blank before PM. */
const plain = (text: string): string => text.replaceAll(/[\s\u202f\u00a0\u00ad]+/g, ' ');

const main = async (page: Page): Promise<string> => plain(await page.locator('main').innerText());
const row = async (page: Page, text: string): Promise<string> =>
  plain(await page.getByRole('row').filter({ hasText: text }).first().innerText());

/** A page, and what it says beside what the service says. The next page is a row. */
interface Fact {
  readonly title: string;
  readonly path: () => string;
  readonly compare: (page: Page) => Promise<void>;
}

const facts: readonly Fact[] = [
  {
    title: 'the list says of each device how it is heard from',
    path: () => '/devices',
    async compare(page) {
      const devices = unwrap(await client().call('devices.list', { query: {} })).value;
      expect(new Set(devices.map(({ health }) => health)).size).toBeGreaterThanOrEqual(5);
      for (const { title, health, version } of devices) {
        const said = await row(page, title);
        expect(said).toContain(healthTexts[health]);
        expect(said).toContain(version ?? '—');
      }
    },
  },
  {
    title: 'the dashboard counts them by the same words',
    path: () => '/',
    async compare(page) {
      const { health } = unwrap(await client().call('fleet.summary', {})).value;
      const table = page.getByRole('table', { name: 'Devices by state' });
      const rows = (await table.getByRole('row').allInnerTexts()).map(plain);
      expect(rows.map((text) => text.trim())).toEqual(
        healthStates.map((word) => `${healthTexts[word]} ${health[word]}`),
      );
    },
  },
  {
    title: 'a filter by such a word shows those devices',
    path: () => '/devices?health=silent',
    async compare(page) {
      const { value } = unwrap(await client().call('devices.list', { query: { health: 'silent' } }));
      expect(value.map(({ id }) => id)).toEqual([scene.devices.silent]);
      expect(await page.getByRole('row').count()).toBe(1 + value.length);
      expect(await row(page, 'Silent buoy')).toContain('3 days ago');
    },
  },
  {
    title: 'a silent device says so on its page',
    path: () => `/devices/${scene.devices.silent}`,
    async compare(page) {
      expect(await page.getByRole('status', { name: 'State of the device' }).innerText()).toBe('silent');
    },
  },
  {
    title: 'a pin is shown and can be undone while a freeze decides',
    path: () => `/devices/${scene.devices.pinned}`,
    async compare(page) {
      const params = { device_id: scene.devices.pinned };
      const { by, pin } = unwrap(await client().call('rollouts.selection', { params })).value;
      expect(by).toBe('freeze');
      const said = await main(page);
      expect(said).toContain(`Nothing new is offered in the product`);
      expect(said).toContain(`${pin?.reason}`);
      expect(said).toContain(`${pin?.bundle}`);
      expect(said).toMatch(/Until in 4 weeks/);
      await page.getByRole('button', { name: /^Let it go/ }).click();
      await page.getByRole('dialog').getByText('This moves no device.').waitFor();
      await page.getByRole('dialog').getByText('1 device: in a frozen product').waitFor();
      await page.keyboard.press('Escape');
    },
  },
  {
    title: 'a freeze says until when',
    path: () => `/products/${scene.product.id}/fleet`,
    async compare(page) {
      const [freeze] = unwrap(
        await client().call('rollouts.freezes', { query: { product_id: scene.product.id } }),
      ).value;
      expect(await main(page)).toContain(`until ${plain(dateTimeOf(freeze?.until))}`);
    },
  },
  {
    title: 'the end of a freeze says whom it moves',
    path: () => `/products/${scene.product.id}/fleet`,
    async compare(page) {
      const reach = unwrap(
        await client().call('rollouts.reach', { ...productParams(), body: { change: 'thaw' } }),
      ).value;
      const moved = reach.moves.reduce((sum, { devices }) => sum + devices, 0);
      await page.getByRole('button', { name: 'Thaw …' }).click();
      await page.getByRole('dialog').getByText(`This moves ${moved} devices`).waitFor();
      await page.keyboard.press('Escape');
    },
  },
  {
    title: 'a tag on a frozen product moves no device',
    path: () => `/bundles/${scene.newest}`,
    async compare(page) {
      const body = { change: 'tag', tag: 'release', bundle_id: scene.newest } as const;
      expect(unwrap(await client().call('rollouts.reach', { ...productParams(), body })).value.moves).toEqual([]);
      await page.getByRole('button', { name: /^Tag/ }).click();
      await page.getByRole('dialog').getByText('This moves no device.').waitFor();
      await page.keyboard.press('Escape');
    },
  },
  {
    title: 'the list of products has the release, and the newest version beside it',
    path: () => '/products',
    async compare(page) {
      const { release, version } = unwrap(await client().call('products.get', productParams())).value;
      expect([release, version]).toEqual(['1.0.0.0', '1.1.0.0']);
      expect(await row(page, 'Winter buoy')).toContain(`${release} release newest: ${version}`);
    },
  },
  {
    title: 'the page of a product says the same',
    path: () => `/products/${scene.product.id}`,
    async compare(page) {
      expect(await page.getByRole('status', { name: 'State of the product' }).innerText()).toBe('preview');
      expect(await main(page)).toContain('1.0.0.0 release newest: 1.1.0.0');
    },
  },
  {
    title: 'a finished rollout has nothing to come',
    path: () => `/rollouts/${scene.rollouts.finished}`,
    async compare(page) {
      expect(await rolloutOf('finished')).toMatchObject({ state: 'finished' });
      const said = await main(page);
      expect(said).toContain('It has ended');
      expect(said).not.toMatch(/begins when|last stage is open|counts from/);
      await page.getByRole('link', { name: 'Make it the release …' }).click();
      await page.getByRole('dialog', { name: /^Tag of bundle/ }).waitFor();
    },
  },
  {
    title: 'an aborted rollout has nothing to come, and its stages are stopped',
    path: () => `/rollouts/${scene.rollouts.aborted}`,
    async compare(page) {
      const { stages } = await rolloutOf('aborted');
      expect(stages.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
      const said = await main(page);
      expect(said).toContain('nothing more is offered by it');
      expect(said).not.toMatch(/begins when|last stage is open|counts from|\bopen\b/);
    },
  },
  {
    title: 'a draft counts nothing',
    path: () => `/rollouts/${scene.rollouts.draft}`,
    async compare(page) {
      expect(await rolloutOf('draft')).toMatchObject({ state: 'draft', started_at: null });
      const said = await main(page);
      expect(said).toContain('Devices are counted when it starts');
      expect(said).not.toMatch(/0 of 0|: 0 %/);
    },
  },
  {
    title: 'a frozen product is no stop of everything',
    path: () => '/rollouts',
    async compare(page) {
      const { total } = unwrap(await client().call('rollouts.freezes', { query: { everywhere: true } }));
      expect(total).toBe(0);
      expect(await page.getByRole('button', { name: /^Lift the stop/ }).count()).toBe(0);
    },
  },
  {
    title: 'a connector that was never called is not well',
    path: () => `/products/${scene.product.id}/connectors`,
    async compare(page) {
      const [connector] = unwrap(await client().call('connectors.list', productParams())).value;
      expect(connector).toMatchObject({ state: 'unused', last_used_at: null });
      expect(await row(page, 'Harbour office')).toContain('never called');
    },
  },
  {
    title: 'a session says when it ends',
    path: () => '/account/tokens',
    async compare(page) {
      const [session] = unwrap(await client().call('tokens.list', { query: {} })).value.filter(
        ({ client: of }) => of !== null,
      );
      const days = (Number(session?.expires_at) - Number(session?.created_at)) / 86_400_000;
      expect(days).toBe(30);
      const said = await main(page);
      expect(said).toContain(
        plain(new Date(Number(session?.expires_at)).toLocaleDateString('en-US', { dateStyle: 'medium' })),
      );
      expect(said).not.toContain('for good');
    },
  },
  {
    title: 'an authority and an invitation are good until what is to come',
    path: () => '/administration',
    async compare(page) {
      const [authority] = unwrap(await client().call('identity.list', {})).value;
      const years = Math.round((Number(authority?.valid_to) - Date.now()) / (365 * 86_400_000));
      const said = await main(page);
      expect(said).toContain(`in ${years} years`);
      expect(said).toContain('in 7 days');
    },
  },
  {
    title: 'a search of the log goes on until it has found the one entry, and says how far it has looked',
    path: () => '/logs?q=Light+Busan',
    async compare(page) {
      await page.getByRole('row').filter({ hasText: scene.oldEntry }).waitFor();
    },
  },
  {
    title: 'a search of the log that finds nothing has looked through all of it',
    path: () => '/logs?q=not+there+at+all',
    async compare(page) {
      await page.getByText('No entry fits the filters').waitFor();
      expect(page.url()).toContain('after=');
    },
  },
];

/** Says in the past what is to come, or the other way round. */
const wrongTimes = `[...document.querySelectorAll('time')].filter((time) => {
  const ms = Date.parse(time.dateTime) - Date.now();
  return ms > 90000 ? /ago|now|yesterday|last/.test(time.textContent) : ms < -90000 && /^in |now|tomorrow|next/.test(time.textContent);
}).map((time) => time.dateTime + ' ' + time.textContent)`;

describe.skipIf(skipReason)('what a page says is what the service says', () => {
  beforeAll(async () => {
    scene = await openFactsScene();
  });
  afterAll(async () => {
    await scene?.quay.close();
    killAll();
  });

  test.each(facts)('$title', async ({ title, path, compare }) => {
    const page = await scene.quay.open({ path: path() });
    await settled(page);
    await seeAll(page);
    await photograph(page, `facts-${title.replaceAll(/\W+/g, '-')}`);
    await compare(page);
    expect(await page.evaluate(wrongTimes)).toEqual([]);
    expect(complaints(page)).toEqual([]);
    await page.context().close();
  });

  test('the second save of a form is refused once the record has changed, and can be sent again', async () => {
    const path = `/products/${scene.product.id}`;
    const [first, second] = [await scene.quay.open({ path }), await scene.quay.open({ path })];
    for (const [page, text] of [
      [first, 'Of the first'],
      [second, 'Of the second'],
    ] as const) {
      await settled(page);
      await page.getByRole('textbox', { name: 'Summary' }).fill(text);
    }
    const summary = async () => unwrap(await client().call('products.get', productParams())).value.summary;
    await second.getByRole('button', { name: 'Save the texts' }).click();
    await expect.poll(summary).toBe('Of the second');
    await first.getByRole('button', { name: 'Save the texts' }).click();
    await first.getByText('This has been changed since you have read it').waitFor();
    expect(await first.getByRole('textbox', { name: 'Summary' }).inputValue()).toBe('Of the first');
    expect(await summary()).toBe('Of the second');
    await first.getByRole('button', { name: 'Save the texts' }).click();
    await expect.poll(summary).toBe('Of the first');
    expect(complaints(first).filter((text) => !text.includes('412'))).toEqual([]);
    await Promise.all([first.context().close(), second.context().close()]);
  });

  test.each([
    ['a new segment', () => `/products/${scene.product.id}/fleet`, 'New segment …', 'Keep'],
    [
      'a new rollout',
      () => `/rollouts/new?product=${scene.product.id}&bundle=${scene.newest}`,
      undefined,
      'Start the rollout',
    ],
  ])('%s with a condition that is not complete cannot be sent', async (_, path, opens, sends) => {
    const page = await scene.quay.open({ path: path() });
    await settled(page);
    if (opens !== undefined) {
      await page.getByRole('button', { name: opens }).click();
      await page.getByRole('textbox', { name: 'Title' }).fill('Half');
    }
    const send = page.getByRole('button', { name: sends, exact: true });
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByRole('textbox', { name: 'Name in condition 1' }).fill('region');
    await page.getByText('A condition is not complete').first().waitFor();
    expect(await page.getByText('Missing', { exact: true }).count()).toBe(1);
    expect(await send.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Value of condition 1' }).fill('eu');
    await expect.poll(() => send.isDisabled()).toBe(false);
    expect(complaints(page)).toEqual([]);
    await page.context().close();
  });
});
