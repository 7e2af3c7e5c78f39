import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const executablePath = '/usr/bin/chromium';
const base = '/moorage/';
let output = '';

beforeAll(async () => {
  const args = [join(root, 'scripts', 'docs.ts'), '--base', base];
  ({ stdout: output } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 }));
});

test('npm run docs makes a page of each guide and each group of calls, and every link leads somewhere', async () => {
  expect(output).toMatch(/^\d+ pages in dist\/docs, every link leads somewhere$/m);
  const page = (name: string) => readFile(join(root, 'dist', 'docs', name), 'utf8');
  expect(await page('guide/install.html')).toContain('moorage service install');
  expect(await page('api/devices.html')).toContain('/api/devices/{identifier}');
  expect(JSON.parse(await page('openapi.json'))).toMatchObject({ openapi: '3.1.0' });
});

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Files of the site as any web server would have them. */
function serveSite() {
  return createServer(async ({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://site');
    const path = pathname.slice(base.length);
    const content = await readFile(join(root, 'dist', 'docs', path || 'index.html')).catch(() => undefined);
    response.writeHead(content ? 200 : 404, { 'content-type': types[extname(path) || '.html'] ?? 'image/svg+xml' });
    response.end(content);
  });
}

test.skipIf(!existsSync(executablePath))(
  'the built files are searched in the browser, and nothing is loaded from elsewhere (left out without chromium)',
  async () => {
    const server = serveSite().listen(0, '127.0.0.1');
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      const { port } = server.address() as AddressInfo;
      const origin = `http://127.0.0.1:${port}`;
      const elsewhere: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:'))
          elsewhere.push(request.url());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(`${origin}${base}`);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('searchbox').fill('enable-linger');
      await page.getByRole('option', { name: /Install.*systemd/ }).click();
      await page.waitForURL(`${origin}${base}guide/install.html#systemd`);
      await page.getByRole('heading', { name: 'systemd' }).waitFor();
      expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
    } finally {
      await browser.close();
      server.close();
    }
  },
);
