import type { AddressInfo } from 'node:net';
import { unwrap } from '@moorage/base';
import { SMTPServer } from 'smtp-server';
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

/** A mail server that is not ours; it hands over the links of the mails that it takes. */
async function mailServer() {
  const waiting = new Map<string, (path: string) => void>();
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    // It would ask the host's name server.
    disableReverseLookup: true,
    onData: async (stream, _session, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      // Long lines are broken with "=" at their end, and "=" itself is written as a number.
      const text = Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
      const [, path = '', page = ''] = /^http:\/\/hub\.test(\/([a-z-]+)#\S+)/m.exec(text) ?? [];
      waiting.get(page)?.(path);
      done();
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Safe: a TCP server has a TCP address.
    port: (server.server.address() as AddressInfo).port,
    /** The path of the link in the next mail that leads to a page. */
    next: (page: string) => new Promise<string>((resolve) => waiting.set(page, resolve)),
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

// API-RULE-link-1, API-RULE-link-2
describe.skipIf(skipReason)('links in mails', () => {
  let quay: Quay;
  let mail: Awaited<ReturnType<typeof mailServer>>;
  const keeper = { email: 'keeper@example.com', password: 'long enough by far' };
  beforeAll(async () => {
    mail = await mailServer();
    const env = {
      MOORAGE_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      MOORAGE_MAIL_FROM: 'moorage@hub.test',
      MOORAGE_PUBLIC_URL: 'http://hub.test',
      MOORAGE_SIGN_UP: 'open',
    };
    quay = await openQuay({ example: false, env });
  });
  afterAll(async () => {
    await quay?.close();
    await mail?.close();
    killAll();
  });

  test('confirm the address of a new account, once', async () => {
    const mailed = mail.next('confirm-email');
    const { token } = unwrap(await quay.client.as(undefined).call('auth.signup', { body: keeper })).value;
    const user = async () => unwrap(await quay.client.as(token).call('users.get')).value;
    expect((await user()).email_confirmed_at).toBeNull();
    const path = await mailed;
    const page = await quay.open({ signedIn: false, path, width: 'phone' });
    await page.getByRole('heading', { level: 1, name: 'Confirm your address' }).waitFor();
    // A program that reads mails and opens its links has confirmed nothing.
    expect((await user()).email_confirmed_at).toBeNull();
    await photograph(page, 'confirm-email');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectNoSideways(page);
    await page.getByRole('button', { name: 'This address is mine' }).click();
    await page.getByText('Your address is confirmed').waitFor();
    expect((await user()).email_confirmed_at).not.toBeNull();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(complaints(page)).toEqual([]);

    const again = await quay.open({ signedIn: false, path });
    await again.getByRole('button', { name: 'This address is mine' }).click();
    await again.getByRole('alert').waitFor();
    expect(await accessibilityProblems(again)).toEqual([]);
  });

  // API-RULE-link-3
  test('bring another address, and the former one back', async () => {
    const page = await quay.open({ as: keeper, path: '/account' });
    const moved = mail.next('confirm-email');
    await page.getByRole('textbox', { name: 'Email' }).fill('keeper@other.example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('keeper@other.example takes its place once you use the link').waitFor();
    const undo = mail.next('undo-address');
    const confirm = await quay.open({ signedIn: false, path: await moved });
    await confirm.getByRole('button', { name: 'This address is mine' }).click();
    await confirm.getByText('Your address is confirmed').waitFor();
    const back = await quay.open({ signedIn: false, path: await undo, width: 'phone' });
    await back.getByRole('heading', { level: 1, name: 'The address of your account was changed' }).waitFor();
    await photograph(back, 'undo-address');
    expect(await accessibilityProblems(back)).toEqual([]);
    await expectNoSideways(back);
    await back.getByRole('button', { name: 'It was not me: take it back' }).click();
    await back.getByText('Your account has this address again').waitFor();
    await back.getByRole('button', { name: 'Go on' }).click();
    await signIn(back, keeper);
    await back.getByRole('button', { name: 'Account of keeper' }).waitFor();
    expect(complaints(back)).toEqual([]);
  });

  test('replace a lost password, once', async () => {
    const page = await quay.open({ signedIn: false, path: '/devices' });
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill(keeper.email);
    expect(await accessibilityProblems(page)).toEqual([]);
    const mailed = mail.next('reset-password');
    await page.getByRole('button', { name: 'Mail the link' }).click();
    await page.getByText(`If an account has the address ${keeper.email}`).waitFor();
    const path = await mailed;

    const reset = await quay.open({ signedIn: false, path, width: 'phone' });
    await reset.getByRole('heading', { level: 1, name: 'Choose a password' }).waitFor();
    await photograph(reset, 'reset-password');
    expect(await accessibilityProblems(reset)).toEqual([]);
    await expectNoSideways(reset);
    const field = reset.getByRole('textbox', { name: 'New password' });
    const send = reset.getByRole('button', { name: 'Change the password' });
    await field.fill('sunshine2024');
    await send.click();
    await reset.getByText('The password is one that many people choose').waitFor();
    await field.fill('battery staple');
    await send.click();
    await reset.getByText('Your password is changed').waitFor();
    await reset.getByRole('button', { name: 'Sign in' }).click();
    await signIn(reset, keeper);
    await reset.getByRole('alert').getByText('User name or password is wrong').waitFor();
    await signIn(reset, { ...keeper, password: 'battery staple' });
    await reset.getByRole('button', { name: 'Account of keeper' }).waitFor();
    // The browser itself tells of the refused password.
    expect(complaints(reset).filter((line) => !line.includes('400'))).toEqual([]);

    const again = await quay.open({ signedIn: false, path });
    await again.getByRole('textbox', { name: 'New password' }).fill('another one of mine');
    await again.getByRole('button', { name: 'Change the password' }).click();
    await again.getByRole('alert').waitFor();
    expect(await accessibilityProblems(again)).toEqual([]);
  });
});
