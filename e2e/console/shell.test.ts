import { unwrap } from '@moorage/base';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { accessibilityProblems, complaints, openQuay, photograph, type Quay, settled, skipReason } from './harness.ts';

/** All scripts of the first page, compressed, in bytes. */
const firstLoadBytes = 150 * 1024;

/** Waits until what has the focus says this. */
const focusOn = (page: Page, text: string) =>
  expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(text);

describe.skipIf(skipReason)('the shell of the console', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay({ example: false });
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('comes with a policy that lets no inline script run, and files that may be kept', async () => {
    const index = await fetch(quay.url);
    expect(index.headers.get('content-security-policy')).toContain("script-src 'self' 'wasm-unsafe-eval';");
    expect(index.headers.get('cache-control')).toBe('no-cache');
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(await index.text()) ?? [];
    const file = await fetch(new URL(script, quay.url), { headers: { 'accept-encoding': 'gzip' } });
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect(Number(file.headers.get('content-length'))).toBeLessThan(firstLoadBytes);
    const deep = await fetch(new URL('/devices/some/tab', quay.url));
    expect([deep.status, deep.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await fetch(new URL('/assets/gone.js', quay.url))).status).toBe(404);
    const missing = await fetch(new URL('/api/nothing', quay.url));
    expect([missing.status, ((await missing.json()) as { code: string }).code]).toEqual([404, 'NOT_FOUND']);
    expect((await fetch(new URL('/api/auth/login', quay.url))).status).toBe(405);
  });

  test('leads a user of an empty service to the first thing to do', async () => {
    const page = await quay.open();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await settled(page);
    const loadedBytes = await page.evaluate(() => {
      const loaded = performance.getEntriesByType('resource') as unknown as { name: string; encodedBodySize: number }[];
      return loaded.reduce((sum, { name, encodedBodySize }) => sum + (name.endsWith('.js') ? encodedBodySize : 0), 0);
    });
    expect(loadedBytes).toBeLessThan(firstLoadBytes);
    await photograph(page, 'first-steps');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Add a platform' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Test bench');
    await page.getByRole('textbox', { name: 'Code' }).fill('BENCH');
    await page.getByRole('textbox', { name: 'Part id' }).fill('0a0b0c0d');
    await page.getByRole('button', { name: 'Add the platform' }).click();
    await page.getByRole('heading', { level: 1, name: 'Test bench' }).waitFor();
    await page.getByRole('button', { name: 'New firmware' }).click();
    const data = Buffer.from('firmware');
    await page.setInputFiles('input[type=file][multiple]', {
      name: 'main.exe',
      mimeType: 'application/octet-stream',
      buffer: data,
    });
    await page.getByRole('button', { name: 'Upload the firmware' }).click();
    await page.getByRole('cell', { name: '1.0.0.0' }).waitFor();
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click();
    await page.getByRole('link', { name: 'Create a product' }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test('is all there for the keyboard', async () => {
    const page = await quay.open({ path: '/platforms' });
    await settled(page);
    await page.keyboard.press('Tab');
    await focusOn(page, 'Skip to the page');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    await page.keyboard.press('Tab');
    await focusOn(page, 'New platform');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New platform' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await focusOn(page, 'New platform');
  });

  test('has a navigation that opens and closes at phone width, and remembers its colours', async () => {
    const page = await quay.open({ width: 'phone' });
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    await page.getByRole('button', { name: 'Dark colours' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Light colours' }).waitFor();
  });

  test('shows a token once, and revokes it after asking', async () => {
    const page = await quay.open({ path: '/account/tokens' });
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Build server');
    await page.getByRole('button', { name: 'Make the token' }).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    const token = (await page.getByRole('dialog').locator('code').first().textContent()) ?? '';
    expect(token).toMatch(/^[A-Za-z0-9+/]{32}$/);
    const answer = async () =>
      (await fetch(new URL('/api/user', quay.url), { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await answer()).toBe(200);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('cell', { name: 'Build server', exact: true }).waitFor();
    await expect.poll(() => page.content()).not.toContain(token);
    await page.getByRole('button', { name: 'Revoke Build server' }).click();
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: 'Build server', exact: true }).waitFor({ state: 'detached' });
    expect(await answer()).toBe(401);
    expect(complaints(page).filter((text) => !text.includes('401'))).toEqual([]);
  });

  test('asks before what is typed is lost', async () => {
    const page = await quay.open({ path: '/administration' });
    await page.getByRole('link', { name: 'The list of platforms' }).click();
    await page.getByRole('button', { name: 'New platform' }).click();
    const form = page.getByRole('dialog', { name: 'New platform' });
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await form.getByRole('textbox', { name: 'Title' }).fill('Half a platform');
    await form.getByRole('button', { name: 'Close' }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await form.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Half a platform');
    // The way back is asked about, too, and stays where it was.
    await page.evaluate('history.back()');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/platforms');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    expect(complaints(page)).toEqual([]);
  });

  test('waits for a page that the service could not give, and shows it when it is back', async () => {
    const page = await quay.open({ path: '/platforms' });
    await page.getByRole('button', { name: 'New platform' }).waitFor();
    const stopped = await quay.stop();
    await page.getByText('The connection to the service is lost').waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText('Loading …').waitFor();
    await stopped.again();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
  });

  test('says when the service is gone, and mends itself when it is back', async () => {
    const page = await quay.open({ path: '/platforms' });
    await page.getByRole('link', { name: 'Test bench' }).waitFor();
    const stopped = await quay.stop();
    const notice = page.getByText('The connection to the service is lost');
    await notice.waitFor();
    await photograph(page, 'connection-lost');
    expect(await accessibilityProblems(page)).toEqual([]);
    await stopped.again();
    await notice.waitFor({ state: 'detached' });
    // Whatever happens from then on arrives again.
    const body = { code: 'LATER', title: 'Added later' };
    unwrap(await quay.client.call('platforms.create', { body }));
    await page.getByRole('link', { name: 'Added later' }).waitFor();
  });
});
