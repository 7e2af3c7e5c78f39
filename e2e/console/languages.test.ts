import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { killAll } from '../command-line.ts';
import {
  accessibilityProblems,
  complaints,
  expectNoSideways,
  openQuay,
  type Quay,
  settled,
  skipReason,
} from './harness.ts';

const folder = fileURLToPath(new URL('../../packages/console/src/texts/', import.meta.url));
const tables = readdirSync(folder).filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'));

/** All plain texts of the tables, in the language that is asked for. */
async function textsIn(language: 'en' | 'de'): Promise<Set<string>> {
  vi.resetModules();
  if (language === 'de') {
    vi.stubGlobal('document', {});
    vi.stubGlobal('localStorage', { getItem: () => 'de' });
  }
  const modules = await Promise.all(tables.map((name) => import(join(folder, name))));
  vi.unstubAllGlobals();
  vi.resetModules();
  const texts = (value: unknown): string[] => {
    if (typeof value === 'string') return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
  };
  return new Set(modules.flatMap(texts));
}

/** What a page shows, text by text; asked for as text, for the content security policy is the page's. */
const shownTexts = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode.textContent.trim());
  return found.join('\\n');
})()`;

const shownOn = async (page: Page): Promise<string[]> => String(await page.evaluate(shownTexts)).split('\n');

/** What the service puts into the blanks of its refusals, read from its sources: names of things, and what one may not do. */
function blanksOfService(): Set<string> {
  const service = fileURLToPath(new URL('../../packages/service/src/', import.meta.url));
  const files = globSync('**/*.ts', { cwd: service, exclude: (name) => name.endsWith('.test.ts') });
  const sources = files.map((name) => readFileSync(join(service, name), 'utf8')).join('\n');
  // What is a right has a blank; other tables have actions and rows, too.
  const blanks =
    /\b(?:what|things): (?:'([^']+)'|`(\w[\w ]*?) "\$)|\baction: '([^']+ [^']+)'|\brow\(\s*'([^']+ [^']+)',/g;
  return new Set([...sources.matchAll(blanks)].map((match) => match.slice(1).find((text) => text !== undefined) ?? ''));
}

test('what the service says of things and rights has German words', async () => {
  const { blanksInGerman } = (await import(join(folder, 'blanks-de.ts'))) as { blanksInGerman: Record<string, string> };
  const blanks = [...blanksOfService()];
  expect(blanks.length).toBeGreaterThan(100);
  expect(blanks.filter((text) => !Object.hasOwn(blanksInGerman, text))).toEqual([]);
});

describe.skipIf(skipReason)('the console in another language', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await openQuay();
  });
  afterAll(async () => {
    await quay?.close();
    killAll();
  });

  test('speaks German in a German browser, and nothing else', async () => {
    const [english, german] = [await textsIn('en'), await textsIn('de')];
    const foreign = [...english].filter((text) => !german.has(text) && text.length > 2);
    expect(foreign.length).toBeGreaterThan(500);
    const page = await quay.open({ locale: 'de-DE' });
    const device = await quay.client.call('devices.get', { params: { identifier: quay.uuid } });
    if (!device.ok) throw new Error(device.error.body.message);
    const { id, product_id } = device.value.value;
    const paths = ['/', '/devices', `/devices/${id}`, `/devices/${id}/streams`, '/products', `/products/${product_id}`];
    for (const path of [
      ...paths,
      '/rollouts',
      '/rollouts/new',
      '/platforms',
      '/alerts',
      '/logs',
      '/account',
      '/administration',
    ]) {
      await page.goto(new URL(path, quay.url).href);
      await settled(page);
      const left = (await shownOn(page)).filter((text) => foreign.includes(text));
      expect(left, `English on ${path}`).toEqual([]);
      expect(await accessibilityProblems(page), path).toEqual([]);
      await expectNoSideways(page);
    }
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect(complaints(page)).toEqual([]);
  });

  test('speaks the language that is chosen in the account, and keeps it', async () => {
    const page = await quay.open({ path: '/account' });
    await page.getByRole('combobox', { name: 'Language of the console' }).click();
    await page.getByRole('option', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { name: 'Konto' }).waitFor();
    await page.reload();
    await page.getByRole('combobox', { name: 'Sprache der Konsole' }).click();
    await page.getByRole('option', { name: 'Wie im Browser eingestellt' }).click();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
  });

  test('keeps the columns of a table that were chosen in another language', async () => {
    const page = await quay.open({ locale: 'de-DE', path: '/devices' });
    await page.getByRole('columnheader', { name: 'Produkt' }).waitFor();
    await page.getByRole('button', { name: 'Spalten' }).click();
    await page.getByRole('checkbox', { name: 'Produkt' }).uncheck();
    await page.getByRole('columnheader', { name: 'Produkt' }).waitFor({ state: 'detached' });
    await page.evaluate("localStorage.setItem('moorage.language', 'en')");
    await page.reload();
    await page.getByRole('columnheader', { name: 'Device' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Product' }).count()).toBe(0);
  });
});
