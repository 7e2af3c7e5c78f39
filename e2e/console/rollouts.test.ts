import { unwrap } from '@moorage/base';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import {
  accessibilityProblems,
  complaints,
  inspect,
  openQuay,
  photograph,
  type Quay,
  settled,
  skipReason,
} from './harness.ts';

/** Devices beside the module: they never ask, so that a stage stays open for as long as it is looked at. */
const silentDevices = 9;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** Says yes to a question. */
async function agree(page: Page, action: string): Promise<void> {
  const question = page.getByRole('dialog');
  await question.getByRole('button', { name: action, exact: true }).click();
  await question.waitFor({ state: 'hidden' });
}

/** Chooses from a list that opens below a field. */
async function choose(page: Page, field: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option }).first().click();
}

describe.skipIf(skipReason)('rollouts in the console', () => {
  let quay: Quay;
  let product: { id: string; product: string };
  let deviceId: string;

  beforeAll(async () => {
    quay = await openQuay();
    const { client } = quay;
    const device = unwrap(await client.call('devices.get', { params: { identifier: quay.uuid } })).value;
    deviceId = device.id;
    product = { id: device.product_id, product: device.product };
    const params = { product_id: product.id };
    const { firmware_id } = unwrap(await client.call('bundles.byTag', { params: { ...params, tag: 'release' } })).value;
    const made = unwrap(
      await client.call('bundles.create', { params, body: { ...params, firmware_id, version: '2.0.0.0' } }),
    );
    const bundle_id = made.value.id;
    const file = { filename: 'webapp/new.txt', type: 'MISC_FIX_LEN', base64: 'bmV3' } as const;
    unwrap(await client.call('bundles.addResource', { params: { bundle_id }, body: file }));
    unwrap(await client.call('bundles.setState', { params: { bundle_id }, body: { state: 'published' } }));
    const device_ids: string[] = [];
    for (let number = 1; number <= silentDevices; number++) {
      const uuid = `${device.uuid.slice(0, 8)}${String(number).padStart(32, '0')}`;
      const body = { uuid, platform_id: device.platform_id, title: `Buoy ${number}` };
      device_ids.push(unwrap(await client.call('devices.provision', { body })).value.id);
    }
    unwrap(await client.call('manyDevices.activate', { body: { device_ids, ...params } }));
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('labels many devices at once, and one on its page', async () => {
    const page = await quay.open({ path: '/devices?q=Buoy' });
    await settled(page);
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    await button(page, 'Label …').click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Label' }).fill('region');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Value' }).fill('eu');
    // Off the button, whose colour is another one under the pointer.
    await page.mouse.move(0, 0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, `Label ${silentDevices} devices`).click();
    await page.getByText(`${silentDevices} of ${silentDevices} devices`).waitFor();
    await page.goto(`${quay.url}devices/${deviceId}`);
    await settled(page);
    await page.getByRole('textbox', { name: 'Label' }).fill('region');
    await page.getByRole('textbox', { name: 'Value' }).fill('eu');
    await button(page, 'Add the label').click();
    await page.getByText('region=eu').waitFor();
    await page.getByRole('textbox', { name: 'Label' }).fill('test');
    await button(page, 'Add the label').click();
    await button(page, 'Remove label test').click();
    await page.getByText('test=').waitFor({ state: 'detached' });
    const labels = unwrap(await quay.client.call('attributes.labels', { params: { device_id: deviceId } }));
    expect(labels.value).toEqual({ region: 'eu' });
    expect(complaints(page)).toEqual([]);
    await page.context().close();
  });

  test('keeps a segment with a live count, freezes the product and thaws it', async () => {
    const page = await quay.open({ path: `/products/${product.id}/fleet` });
    await settled(page);
    await button(page, 'New segment …').click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Europe');
    await button(page, 'Add a condition').click();
    await page.getByRole('textbox', { name: 'Name in condition 1' }).fill('region');
    await page.getByRole('textbox', { name: 'Value of condition 1' }).fill('nowhere');
    await page.getByText('0 devices fit now', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Value of condition 1' }).fill('eu');
    await page.getByText(`${silentDevices + 1} devices fit now`, { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'segment');
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.getByRole('table', { name: 'Segments' }).getByText('label.region==eu').waitFor();
    // What is wrong with a text is said with the place.
    await button(page, 'Change Europe').click();
    await page.getByRole('textbox', { name: 'Filter' }).fill('colour==red');
    await page.getByText('The filter is wrong at position 1').waitFor();
    await page.getByRole('textbox', { name: 'Filter' }).fill('label.region==eu');
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await button(page, 'Freeze …').click();
    await page.getByRole('textbox', { name: 'Why' }).fill('Holidays');
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
    await page.getByText('The product is frozen').waitFor();
    const selection = () => quay.client.call('rollouts.selection', { params: { device_id: deviceId } });
    expect(unwrap(await selection()).value.by).toBe('freeze');
    await button(page, 'Thaw …').click();
    await agree(page, 'Thaw');
    await page.getByText('It is not frozen').waitFor();
    expect(unwrap(await selection()).value.by).toBe('release');
    // The 400 of the wrong filter was asked for.
    expect(complaints(page).filter((text) => !text.includes('400'))).toEqual([]);
    await page.context().close();
  });

  test('pins a device, says why it has its version, and lets it go', async () => {
    const page = await quay.open({ path: `/devices/${deviceId}` });
    await settled(page);
    const card = page.getByRole('region', { name: 'Why this version' });
    await card.getByRole('status').waitFor();
    await card.getByRole('button', { name: 'Pin …' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Why' }).fill('The last one with the old driver');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Pin', exact: true }).click();
    await card.getByText('Pinned to').waitFor();
    await card.getByText('The device is held here: The last one with the old driver').waitFor();
    await photograph(page, 'device-pinned');
    await card.getByRole('button', { name: 'Let it go …' }).click();
    await agree(page, 'Let it go');
    await card.getByText('Pinned to').waitFor({ state: 'detached' });
    expect(complaints(page)).toEqual([]);
    await page.context().close();
  });

  test('rehearses a rollout that is planned, and shows what it would do', async () => {
    const params = { product_id: product.id };
    const bundle = unwrap(await quay.client.call('bundles.list', { params, query: { state: 'published' } })).value.find(
      ({ version }) => version === '2.0.0.0',
    );
    const settings = { stages: [{ percent: 50 }, {}] };
    const body = { title: 'Winter', bundle_id: bundle?.id ?? '', settings };
    const { id: rollout_id } = unwrap(await quay.client.call('rollouts.create', { params, body })).value;
    const page = await quay.open({ path: `/rollouts/${rollout_id}` });
    await settled(page);
    await button(page, 'Rehearse …').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Twins' }).fill('4');
    await dialog.getByRole('textbox', { name: 'Runs' }).fill('1');
    await dialog.getByRole('switch', { name: 'Compare with other settings' }).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    // A wrong scenario is refused at its field, with the place; without one the twins are like the fleet.
    const scenario = dialog.getByRole('textbox', { name: 'Scenario' });
    const rehearse = dialog.getByRole('button', { name: 'Rehearse it', exact: true });
    await scenario.fill('{"groups": [{"name": "pier", "shar": 1}]');
    expect(await rehearse.isDisabled()).toBe(true);
    await scenario.fill('{"groups": [{"name": "pier", "share": 1, "link": {"lost": 1}}]}');
    await rehearse.click();
    await dialog.getByText('"Scenario" is wrong: Key "groups.0.link.lost" is unknown').waitFor();
    await scenario.fill('');
    await rehearse.click();
    await dialog.waitFor({ state: 'hidden' });
    const table = page.getByRole('table', { name: 'Rehearsals' });
    // At 0 % it has no width, and counts as hidden.
    await table.getByRole('progressbar', { name: 'Progress of rehearsal 1' }).waitFor({ state: 'attached' });
    await table.getByText('done', { exact: true }).waitFor();
    const figures = page.getByRole('table', { name: 'Figures of rehearsal 1' });
    await figures.getByRole('columnheader', { name: 'All in one stage' }).waitFor();
    // Of this fleet most have never been seen: so have the twins.
    expect(await figures.getByRole('row', { name: /^Run it \d+ %/ }).count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await photograph(page, 'rollout-rehearsed');
    const [report] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'The whole report' }).click(),
    ]);
    await report.getByRole('heading', { level: 1, name: 'Rehearsal: Winter' }).waitFor();
    await report.getByRole('heading', { name: 'Which settings matter' }).waitFor();
    await button(page, 'Delete rehearsal 1').click();
    await table.waitFor({ state: 'detached' });
    // Nothing has come to a device.
    const found = unwrap(await quay.client.call('rollouts.get', { params: { rollout_id } })).value;
    expect(found.state).toBe('draft');
    unwrap(await quay.client.call('rollouts.act', { params: { rollout_id }, body: { action: 'cancel' } }));
    // The 400 of the wrong scenario was asked for.
    expect([...complaints(page), ...complaints(report)].filter((text) => !text.includes('400'))).toEqual([]);
    await page.context().close();
  });

  test('leads from a bundle to a rollout that fills, pauses, goes on and is aborted', async () => {
    const page = await quay.open({ path: '/rollouts' });
    await page.getByRole('link', { name: 'New rollout' }).click();
    await page
      .getByRole('combobox', { name: 'Product' })
      .or(page.getByRole('textbox', { name: 'Product' }))
      .fill('TIDE');
    await page.getByRole('option', { name: /TIDE_GAUGE/ }).click();
    await choose(page, 'Bundle', '2.0.0.0');
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Version 2.0.0.0');
    await choose(page, 'Segment', /Europe/);
    await page.getByText(`${silentDevices + 1} devices fit now`, { exact: true }).waitFor();
    await page.getByText(`${silentDevices + 1} devices, at most`).waitFor();
    await page.getByRole('img', { name: 'Stage 1: 1 device, Stage 2: 4 devices, Stage 3: 5 devices' }).waitFor();
    await photograph(page, 'rollout-new');
    expect(await accessibilityProblems(page)).toEqual([]);
    // What cannot be is said before it is asked for.
    await page.getByRole('textbox', { name: 'Stage 2, up to %' }).fill('5');
    await page.getByText('Stage 2 has to reach more than stage 1').waitFor();
    expect(await button(page, 'Start the rollout').isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Stage 2, up to %' }).fill('50');
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click();
    // All at once: the module is in the first stage then.
    await button(page, 'Remove a stage').click();
    await button(page, 'Remove a stage').click();
    await button(page, 'Start the rollout').click();
    await page.getByRole('heading', { level: 1, name: 'Version 2.0.0.0' }).waitFor();
    await page.getByLabel('State of the rollout').getByText('running').waitFor();

    // The module takes it by itself, and the page shows it without a reload.
    await page.getByRole('link', { name: '1 done of stage 1' }).waitFor();
    await page.getByText(`0 of 1 that have ended`).waitFor();
    await photograph(page, 'rollout-running');
    await page.getByRole('link', { name: '1 done of stage 1' }).click();
    await page
      .getByRole('table', { name: 'Devices of the rollout' })
      .getByRole('row')
      .nth(1)
      .getByText('done')
      .waitFor();
    await page.getByText('1 device', { exact: true }).waitFor();

    // A click shows at once that something is being done, however long the service takes.
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/rollouts/*/state', async (route) => {
      await held;
      await route.continue();
    });
    await button(page, 'Pause').click();
    await page.locator('button[data-loading]').waitFor();
    release();
    await page.getByLabel('State of the rollout').getByText('paused').waitFor();
    await page.unroute('**/api/rollouts/*/state');
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByLabel('State of the rollout').getByText('running').waitFor();
    const id = /rollouts\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
    await inspect(quay, { path: `/rollouts/${id}`, name: 'rollout' });
    const why = await quay.open({ path: `/devices/${deviceId}` });
    await why.getByRole('region', { name: 'Why this version' }).getByRole('link', { name: 'The rollout' }).waitFor();

    await button(page, 'Abort …').click();
    await agree(page, 'Abort');
    await page.getByLabel('State of the rollout').getByText('aborted').waitFor();
    await page.goto(`${quay.url}rollouts?state=aborted`);
    await page.getByRole('link', { name: 'Version 2.0.0.0' }).waitFor();
    expect([...complaints(page), ...complaints(why)]).toEqual([]);
    await page.context().close();
    await why.context().close();
  });

  test('stops everything of a product at once', async () => {
    const params = { product_id: product.id };
    const bundle = unwrap(await quay.client.call('bundles.list', { params, query: { state: 'published' } })).value[0];
    const body = { title: 'Autumn', bundle_id: bundle?.id ?? '', settings: { stages: [{}] } };
    const { id: rollout_id } = unwrap(await quay.client.call('rollouts.create', { params, body })).value;
    unwrap(await quay.client.call('rollouts.act', { params: { rollout_id }, body: { action: 'start' } }));
    const page = await quay.open({ path: `/rollouts/${rollout_id}`, width: 'phone' });
    await settled(page);
    await button(page, 'Emergency stop …').click();
    await page.getByRole('textbox', { name: 'Why' }).fill('Smoke');
    expect(await accessibilityProblems(page)).toEqual([]);
    await button(page, 'Stop everything').click();
    await page.getByLabel('State of the rollout').getByText('paused').waitFor();
    await page.getByText('Emergency stop: Smoke').waitFor();
    const freezes = unwrap(await quay.client.call('rollouts.freezes', { query: params }));
    expect(freezes.value).toMatchObject([{ reason: 'Smoke' }]);
    expect(complaints(page)).toEqual([]);
    await page.context().close();
  });

  test('takes ready settings, is cancelled as a draft, and stops with all products', async () => {
    const params = { product_id: product.id };
    const bundle = unwrap(await quay.client.call('bundles.list', { params, query: { state: 'published' } })).value[0];
    const page = await quay.open({ path: `/products/${product.id}/fleet` });
    await settled(page);
    await choose(page, 'Settings', 'Office hours');
    await page.getByText('The settings of new rollouts are kept').waitFor();
    const ofProduct = unwrap(await quay.client.call('rollouts.fleetSettings', { params })).value;
    expect(ofProduct.template).toBe('office_hours');
    await page.goto(`${quay.url}rollouts/new?product=${product.id}&bundle=${bundle?.id}`);
    await button(page, 'Add a stage').waitFor();
    await choose(page, 'Settings', 'Those of the product');
    await page.getByRole('img', { name: 'Stage 1: 1 device, Stage 2: 9 devices' }).waitFor();
    await choose(page, 'Settings', 'Careful');
    await page.getByRole('img', { name: /Stage 4: 5 devices/ }).waitFor();
    expect(await button(page, 'Add a stage').count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('switch', { name: 'Start at once' }).click();
    await button(page, 'Keep the draft').click();
    await page.getByLabel('State of the rollout').getByText('draft').waitFor();
    await button(page, 'Cancel it …').click();
    await agree(page, 'Cancel it');
    await page.getByLabel('State of the rollout').getByText('cancelled').waitFor();
    await page.goto(`${quay.url}rollouts`);
    await button(page, 'Emergency stop …').click();
    await page.getByRole('textbox', { name: 'Why' }).fill('Fire');
    await button(page, 'Stop everything').click();
    await page.getByText('Everything is frozen').waitFor();
    await button(page, 'Lift the stop …').click();
    await agree(page, 'Lift the stop');
    await page.getByText('The stop is lifted').waitFor();
    expect(complaints(page)).toEqual([]);
    await page.context().close();
  });
});
