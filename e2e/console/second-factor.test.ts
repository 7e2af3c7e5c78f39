import { unwrap } from '@moorage/base';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import {
  accessibilityProblems,
  complaints,
  expectNoSideways,
  openQuay,
  photograph,
  type Quay,
  signIn,
  skipReason,
} from './harness.ts';

const stepMs = 30_000;

/** Sets up an app on the page that asks for it; the recovery codes that it shows. */
async function setUpApp(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('img', { name: 'Code for your app' }).waitFor();
  await expectNoSideways(page);
  expect(await accessibilityProblems(page)).toEqual([]);
  const secret = await page.locator('dd code').innerText();
  // The code of the next half minute is good already, and for longer than that of this one.
  const code = new TOTP({ secret }).generate({ timestamp: Date.now() + stepMs });
  await page.getByRole('textbox', { name: 'Code of the app' }).fill(code);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('The list of recovery codes is shown this once').waitFor();
  await expectNoSideways(page);
  const codes = (await page.locator('dd').innerText()).match(/\w{4}(-\w{4}){3}/g) ?? [];
  await page.getByRole('button', { name: 'I have copied it' }).click();
  return codes;
}

describe.skipIf(skipReason)('a second factor', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay({ example: false, env: { MOORAGE_SECOND_FACTOR: 'administrators' } });
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('is set up at phone width, and asked for at the next sign-in', async () => {
    const ada = { email: 'ada@example.com', password: 'correct horse' };
    unwrap(await quay.client.call('auth.signup', { body: ada }));
    const page = await quay.open({ as: ada, width: 'phone', path: '/account/second-factor' });
    await page.getByRole('button', { name: 'Set up an app' }).click();
    const codes = await setUpApp(page);
    expect(codes).toHaveLength(10);
    await page.getByText('10 are left').waitFor();
    await expectNoSideways(page);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(complaints(page)).toEqual([]);

    const again = await quay.open({ signedIn: false, width: 'phone', path: '/account/second-factor' });
    await signIn(again, ada);
    await again.getByText('Your account has a second factor').waitFor();
    await photograph(again, 'second-step');
    await expectNoSideways(again);
    expect(await accessibilityProblems(again)).toEqual([]);
    await again.getByRole('textbox', { name: 'Code of your app, or a recovery code' }).fill(codes[0] ?? '');
    await again.getByRole('button', { name: 'Finish' }).click();
    await again.getByText('9 are left').waitFor();

    await again.getByRole('button', { name: 'Make new codes' }).click();
    await again.getByRole('dialog').getByRole('button', { name: 'Make new codes' }).click();
    await again.getByRole('button', { name: 'I have copied it' }).click();
    await again.getByText('10 are left').waitFor();
    await again.getByRole('button', { name: 'Remove the app' }).click();
    await again.getByRole('button', { name: 'Remove', exact: true }).click();
    await again.getByText('Not set up').waitFor();
    expect(complaints(again)).toEqual([]);
  });

  // API-RULE-proof-1
  test('asks who is there where the session has not shown it lately, and then goes on', async () => {
    const eve = { email: 'eve@example.com', password: 'correct horse' };
    const session = unwrap(await quay.client.call('auth.signup', { body: eve })).value.token;
    const made = unwrap(await quay.client.as(session).call('tokens.create', { body: { days: 1 } })).value.token;
    const page = await quay.open({ as: eve, width: 'phone', path: '/account/second-factor' });
    const [cookie] = await page.context().cookies();
    // A token that was made by hand has shown nothing.
    if (cookie) await page.context().addCookies([{ ...cookie, value: made }]);
    await page.reload();
    await page.getByRole('button', { name: 'Set up an app' }).click();
    await page.getByRole('button', { name: 'Go on' }).click();
    const dialog = page.getByRole('dialog', { name: 'Show who you are' });
    await dialog.waitFor();
    await photograph(page, 'proof');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectNoSideways(page);
    await dialog.getByRole('textbox', { name: 'Current password' }).fill('wrong horse');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByRole('alert').getByText('The current password is wrong').waitFor();
    await dialog.getByRole('textbox', { name: 'Current password' }).fill(eve.password);
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('img', { name: 'Code for your app' }).waitFor();
    // The browser itself tells of the refusals.
    expect(complaints(page).filter((line) => !line.includes('403'))).toEqual([]);
  });

  // API-RULE-factor-4
  test('is set up before anything else where the service wants one', async () => {
    const page = await quay.open({ signedIn: false });
    await signIn(page, quay.administrator);
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await page.getByText('This service wants a second factor').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await setUpApp(page);
    await page.getByRole('button', { name: /^Account of/ }).waitFor();
    expect(complaints(page)).toEqual([]);
  });
});
