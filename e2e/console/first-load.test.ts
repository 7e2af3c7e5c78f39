import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { accessibilityProblems, complaints, openQuay, type Quay, settled, skipReason } from './harness.ts';

/** The largest that the scripts of a first page may be, in KiB as they come over the line. */
const scriptLimitKib = { signIn: 195, dashboard: 260 };

/** Sums what the scripts of a page took on the line; a text, for the content security policy is the page's. */
const sizesOfScripts = `performance
  .getEntriesByType('resource')
  .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

const scriptKib = async (page: Page): Promise<number> => Number(await page.evaluate(sizesOfScripts)) / 1024;

describe.skipIf(skipReason)('the console', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay();
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('searches everything and goes to views by keys alone', async () => {
    const page = await quay.open();
    await settled(page);
    await page.keyboard.press('/');
    const box = page
      .getByRole('textbox', { name: 'Search everything' })
      .or(page.getByRole('combobox', { name: 'Search everything' }));
    await box.fill(quay.uuid.slice(-8));
    await page.getByRole('option').filter({ hasNotText: 'Dashboard' }).first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await box.fill('deploy');
    await page.getByRole('option', { name: 'Rollouts' }).waitFor();
    await page.getByRole('option', { name: 'Dashboard' }).waitFor({ state: 'detached' });
    // A letter in a field is a letter.
    await box.pressSequentially('?');
    await box.fill('roll out');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Rollouts' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Search everything').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(complaints(page)).toEqual([]);
  });

  test('comes with few scripts', async () => {
    const visitor = await quay.open({ signedIn: false });
    await visitor.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await scriptKib(visitor)).toBeLessThan(scriptLimitKib.signIn);
    const page = await quay.open();
    await settled(page);
    expect(await scriptKib(page)).toBeLessThan(scriptLimitKib.dashboard);
  });
});
