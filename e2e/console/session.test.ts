import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import {
  accessibilityProblems,
  expectNoSideways,
  openQuay,
  photograph,
  type Quay,
  settled,
  skipReason,
} from './harness.ts';

describe.skipIf(skipReason)('a form that is half filled', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay({ example: false });
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('is still there when the session was over, and its user has signed in again', async () => {
    const page = await quay.open({ path: '/platforms?new=1', width: 'phone' });
    const title = page.getByRole('textbox', { name: 'Title' });
    await title.fill('Half typed');
    await page.getByRole('textbox', { name: 'Code' }).fill('HALF');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Add the platform' }).click();
    const again = page.getByRole('dialog', { name: 'Your session is over' });
    await again.waitFor();
    await photograph(page, 'session-over');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectNoSideways(page);
    const password = again.getByRole('textbox', { name: 'Password' });
    await password.fill('not this one');
    await page.keyboard.press('Enter');
    await again.getByText('User name or password is wrong').waitFor();
    // It closes neither this dialogue nor the one below.
    await page.keyboard.press('Escape');
    await password.fill(quay.administrator.password);
    await page.keyboard.press('Enter');
    await again.waitFor({ state: 'detached' });
    expect(await title.inputValue()).toBe('Half typed');
    await page.getByRole('button', { name: 'Add the platform' }).click();
    await page.getByRole('heading', { level: 1, name: 'Half typed' }).waitFor();
  });

  test('is still there when the service was gone, and says why it could not', async () => {
    const page = await quay.open({ path: '/platforms?new=1' });
    await page.getByRole('textbox', { name: 'Title' }).fill('Twice sent');
    await page.getByRole('textbox', { name: 'Code' }).fill('TWICE');
    const stopped = await quay.stop();
    await page.getByRole('button', { name: 'Add the platform' }).click();
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await stopped.again();
    await page.getByRole('button', { name: 'Add the platform' }).click();
    await page.getByRole('heading', { level: 1, name: 'Twice sent' }).waitFor();
  });

  test('copies where pages have no clipboard, over plain HTTP', async () => {
    const page = await quay.open();
    await page.addInitScript(`Object.defineProperty(window, 'isSecureContext', { value: false })`);
    await page.goto(new URL('/account', quay.url).href);
    await page.getByRole('button', { name: 'Copy user name' }).click();
    await page.getByRole('textbox', { name: 'Organisation' }).fill('');
    await page.getByRole('textbox', { name: 'Organisation' }).press('Control+V');
    expect(await page.getByRole('textbox', { name: 'Organisation' }).inputValue()).toBe('owner');
  });

  test('does not keep what was signed out of from the next one', async () => {
    const page = await quay.open();
    await settled(page);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });
});
