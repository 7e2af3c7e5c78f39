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

describe.skipIf(skipReason)('the first run', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay({ example: false, firstRun: true });
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('asks for the printed password, then for another one, and not again', async () => {
    const page = await quay.open({ signedIn: false, path: '/platforms' });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await photograph(page, 'sign-in');
    expect(await accessibilityProblems(page)).toEqual([]);

    await signIn(page, { ...quay.administrator, password: 'not this one' });
    await page.getByRole('alert').getByText('User name or password is wrong').waitFor();
    await signIn(page, quay.administrator);
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    await photograph(page, 'first-password');
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole('textbox', { name: 'Current password' }).fill(quay.administrator.password);
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill('chosen by me');
    await page.getByRole('textbox', { name: 'New password again' }).fill('chosen by me');
    await page.getByRole('button', { name: 'Change the password' }).click();
    // The page that was asked for in the first place.
    await page.getByRole('heading', { level: 1, name: 'Platforms' }).waitFor();

    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([{ name: 'moorage_session', httpOnly: true, sameSite: 'Strict' }]);
    expect(await page.evaluate('document.cookie')).toBe('');

    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Platforms' }).waitFor();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, { ...quay.administrator, password: 'chosen by me' });
    await page.getByRole('heading', { level: 1, name: 'Platforms' }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test('lets a visitor make an account, at phone width', async () => {
    const page = await quay.open({ signedIn: false, width: 'phone' });
    await photograph(page, 'sign-in');
    await page.getByRole('button', { name: 'Make an account' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('maker@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('long enough');
    await expectNoSideways(page);
    await page.getByRole('button', { name: 'Make the account' }).click();
    await page.getByRole('button', { name: 'Account of maker' }).waitFor();
    expect(complaints(page)).toEqual([]);
  });
});
