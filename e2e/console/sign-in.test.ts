import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOidcProvider, type TestProvider } from '@moorage/service/testing/oidc-provider';
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

async function secretFile(secret: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'moorage-oidc-')), 'secret');
  await writeFile(path, secret);
  return path;
}

describe.skipIf(skipReason)('the first run', () => {
  let quay: Quay;
  let provider: TestProvider;
  // The public address of the service, which gets its own port only when it starts: all is redirected there.
  const front = createServer(({ url }, reply) => {
    reply.writeHead(302, { location: new URL(url ?? '/', quay.url).href }).end();
  });
  beforeAll(async () => {
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const publicUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    provider = await startOidcProvider({ redirectUri: `${publicUrl}/sso`, signedOutUri: `${publicUrl}/` });
    const env = {
      MOORAGE_PUBLIC_URL: publicUrl,
      MOORAGE_OIDC_ISSUER: provider.issuer,
      MOORAGE_OIDC_CLIENT_ID: provider.clientId,
      MOORAGE_OIDC_CLIENT_SECRET_FILE: await secretFile(provider.clientSecret),
      MOORAGE_OIDC_NAME: 'Harbour ID',
      MOORAGE_OIDC_ACCOUNTS: 'create',
    };
    quay = await openQuay({ example: false, firstRun: true, env });
  });
  afterAll(async () => {
    await quay?.close();
    await provider?.close();
    front.closeAllConnections();
    front.close();
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
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill('chosen by me alone');
    await page.getByRole('textbox', { name: 'New password again' }).fill('chosen by me alone');
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
    await signIn(page, { ...quay.administrator, password: 'chosen by me alone' });
    await page.getByRole('heading', { level: 1, name: 'Platforms' }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test('lets a visitor make an account, at phone width', async () => {
    const page = await quay.open({ signedIn: false, width: 'phone' });
    await photograph(page, 'sign-in');
    await page.getByRole('button', { name: 'Make an account' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('maker@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('long enough by far');
    await expectNoSideways(page);
    await page.getByRole('button', { name: 'Make the account' }).click();
    await page.getByRole('button', { name: 'Account of maker' }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test('lets people in by single sign-on, and out again', async () => {
    const page = await quay.open({ signedIn: false, path: '/platforms' });
    await page.getByRole('button', { name: 'Sign in with Harbour ID' }).click();
    await page.getByPlaceholder('Enter any login').fill('ada');
    await page.getByPlaceholder('and password').fill('any');
    const back = page.waitForRequest((request) => request.url().startsWith(`${quay.url}sso?`));
    await page.getByRole('button', { name: 'Sign-in' }).click();
    const used = (await back).url();
    // The page that was asked for in the first place.
    await page.getByRole('heading', { level: 1, name: 'Platforms' }).waitFor();
    await page.goto(new URL('/account/password', quay.url).href);
    await page.getByRole('heading', { name: 'Sign in with Harbour ID' }).waitFor();
    await page.getByText('ada@example.com').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.origin === provider.issuer);
    await page.goto(used);
    await page.getByRole('alert').getByText('begin again').waitFor();
    await page.getByRole('button', { name: 'Begin again' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
