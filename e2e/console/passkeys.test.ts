import { unwrap } from '@moorage/base';
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

/** A page of the service under a name: an IP address can have no passkeys. */
async function openByName(quay: Quay, path: string): Promise<Page> {
  const page = await quay.open({ signedIn: false, width: 'phone' });
  const url = new URL(path, quay.url);
  url.hostname = 'localhost';
  await page.goto(url.href);
  return page;
}

/** Gives a page the authenticator of a device that knows its user. */
async function addAuthenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** The page anew, without the session. */
async function leave(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

/** Fills in the form that adds a passkey, and sends it. */
async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.locator('form').getByRole('button', { name: 'Add a passkey' }).click();
}

describe.skipIf(skipReason)('a passkey', () => {
  const ada = { email: 'ada@example.com', password: 'correct horse' };
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay({ example: false, env: { MOORAGE_SECOND_FACTOR: 'administrators' } });
    unwrap(await quay.client.call('auth.signup', { body: ada }));
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('is added, named, and signs in: alone, and behind the password', async () => {
    const page = await openByName(quay, '/account/second-factor');
    await addAuthenticator(page);
    await signIn(page, ada);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await addPasskey(page, 'Work laptop');
    await page.getByText('The list of recovery codes is shown this once').waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('10 are left').waitFor();
    await photograph(page, 'passkeys');
    await expectNoSideways(page);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Rename Work laptop' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Old laptop');
    await page.locator('form').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Rename Old laptop' }).waitFor();

    await leave(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await photograph(page, 'sign-in-passkey');
    await expectNoSideways(page);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Rename Old laptop' }).waitFor();

    await leave(page);
    await signIn(page, ada);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await photograph(page, 'second-step-passkey');
    await expectNoSideways(page);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    // What is there already is not added again.
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await addPasskey(page, 'Once more');
    await page.getByText('holds a passkey of your account already').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Remove Old laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Rename Old laptop' }).waitFor({ state: 'detached' });
    expect(complaints(page)).toEqual([]);

    await leave(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('The passkey is not known here').waitFor();
  });

  // API-RULE-factor-4
  test('is enough where the service wants a second factor', async () => {
    const page = await openByName(quay, '/');
    await addAuthenticator(page);
    await signIn(page, quay.administrator);
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    await addPasskey(page, 'Phone');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: /^Account of/ }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test('is not to be had at an address without a name, and the page says why', async () => {
    const page = await quay.open({ as: ada, path: '/account/second-factor' });
    await page.getByText('This address can have no passkeys').waitFor();
    expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
    expect(complaints(page)).toEqual([]);
  });
});
