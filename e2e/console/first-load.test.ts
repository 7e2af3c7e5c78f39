import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { accessibilityProblems, complaints, openQuay, type Quay, settled, skipReason } from './harness.ts';

/** The largest that the scripts of a first page may be, in KiB as they come over the line. */
const scriptLimitKib = { signIn: 115, dashboard: 150 };

interface Script {
  readonly name: string;
  readonly kib: number;
}

/** The scripts that a page has loaded; a text, for the content security policy is the page's. */
const loadedScripts = `performance
  .getEntriesByType('resource')
  .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
  .map(({ name, encodedBodySize }) => ({ name: new URL(name).pathname, kib: encodedBodySize / 1024 }))`;

const scriptsOf = async (page: Page) => (await page.evaluate(loadedScripts)) as readonly Script[];

const sumOf = (scripts: readonly Script[]): number => scripts.reduce((sum, { kib }) => sum + kib, 0);

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
    expect(sumOf(await scriptsOf(visitor))).toBeLessThan(scriptLimitKib.signIn);
    const page = await quay.open();
    await settled(page);
    // All parts are there: the chart is in sight, the map has nothing to show yet.
    await page.getByRole('table', { name: 'Devices by state' }).waitFor();
    await page.getByRole('link', { name: 'All logs' }).waitFor();
    await page.locator('.uplot').waitFor();
    await page.getByText('No device has a location yet').waitFor();
    const scripts = await scriptsOf(page);
    expect(scripts.map(({ name }) => name).filter((name) => /map|dialog|notices|bubble|sign-in/.test(name))).toEqual(
      [],
    );
    expect(sumOf(scripts)).toBeLessThan(scriptLimitKib.dashboard);
  });
});
