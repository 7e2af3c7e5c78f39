import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type WebRig, webRig } from '../testing/web-rig.ts';
import { defaultAir } from '../wlan/air.ts';

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** How long a browser may take for something, in ms. */
const browserTimeoutMs = 120_000;

async function curl(...args: readonly string[]): Promise<string> {
  const child = spawn('curl', ['-sS', '--max-time', '100', ...args]);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return Buffer.concat(chunks).toString();
}

describe('real clients', () => {
  let rig: WebRig;
  let url = '';
  beforeAll(async () => {
    rig = await webRig({
      wire: 'sockets',
      files: { 'a.txt': 'hello' },
      variables: { 'http.server.username': 'ada', 'http.server.password': 'secret' },
    });
    url = `http://127.0.0.1:${rig.port}`;
  });
  afterAll(() => rig.close());

  test('fetch runs commands and reads files', async () => {
    const headers = { authorization: `Basic ${btoa('ada:secret')}` };
    const reply = await fetch(`${url}/command`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ command: 'get wlan.ssid' }),
    });
    expect(await reply.json()).toEqual({ id: expect.any(Number), code: 0, flags: 0, response: 'harbour-open\r\n' });
    expect(await (await fetch(`${url}/a.txt`, { headers })).text()).toBe('hello');
    expect((await fetch(url)).status).toBe(401);
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/command/ver`, { headers })));
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: number }).id));
    expect(new Set(ids).size).toBe(50);
  });

  test.skipIf(!hasCurl)('curl does, too (needs curl)', async () => {
    const login = ['-u', 'ada:secret'];
    expect(await curl(...login, `${url}/command/get%20wlan.ssid`)).toContain('"response":"harbour-open\\r\\n"');
    expect(await curl(...login, '-d', '{"command":"file_create c.txt 3","data":"abc"}', `${url}/command`)).toContain(
      'File created',
    );
    expect(await curl(...login, '-r', '1-2', `${url}/c.txt`)).toBe('bc');
    expect(await curl('-o', '/dev/null', '-w', '%{http_code}', `${url}/c.txt`)).toBe('401');
    expect(await curl('--digest', ...login, '-o', '/dev/null', '-w', '%{http_code}', `${url}/c.txt`)).toBe('401');
    const large = `@${fileURLToPath(import.meta.url)}`;
    expect(await curl(...login, '-d', large, '-w', '%{http_code}', `${url}/command`)).toMatch(
      /^Bad request: .*4096 bytes\r\n400$/,
    );
    expect(await curl(...login, '--http2', `${url}/command/ver`)).toContain('"code":0');
  });
});

/** A page that uses a module from elsewhere, written as a user of the API would. */
const foreignPage = `<!doctype html><title>elsewhere</title><script type="module">
const base = new URLSearchParams(location.search).get('module');
const post = async (command, data, flags = 0) => {
  const body = JSON.stringify({ flags, command, ...(data && { data }) });
  const answer = await fetch(base + '/command', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  return (await answer.json()).response.trim();
};
window.use = async () => {
  const got = await (await fetch(base + '/command/get%20wlan.ssid', { headers: { 'Content-Type': 'application/json' } })).json();
  const bytes = Uint8Array.from({ length: 9000 }, (_, index) => index * 31);
  const handle = await post('file_create -o up.bin ' + bytes.length);
  for (let at = 0; at < bytes.length; at += 2500) {
    const chunk = bytes.slice(at, at + 2500);
    await post('write ' + handle + ' ' + chunk.length, btoa(String.fromCharCode(...chunk)), 4);
  }
  const stored = new Uint8Array(await (await fetch(base + '/up.bin')).arrayBuffer());
  const listing = await post('ls');
  const socket = new WebSocket(base.replace('http', 'ws') + '/stream');
  socket.binaryType = 'arraybuffer';
  await new Promise((resolve) => { socket.onopen = resolve; });
  const echoed = new Promise((resolve) => { socket.onmessage = ({ data }) => resolve(new TextDecoder().decode(data)); });
  socket.send('from the browser');
  const stream = (await post('stream_list')).split('\\n').find((line) => line.includes('WEBS')).split(' ')[1];
  let read = '';
  while (!read) read = await post('stream_read ' + stream + ' 100');
  await post('write ' + stream + ' 9', 'to it too');
  const back = await echoed;
  await post('stream_close ' + stream);
  return { got: got.response, same: stored.length === bytes.length && stored.every((byte, index) => byte === bytes[index]), listing, read, back };
};
</script>`;

describe.skipIf(!browserPath)('a browser (needs chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  // MOD-HTTP-cors
  test('a page from another origin uses all of the API', async () => {
    const rig = await webRig({ wire: 'sockets', variables: { 'http.server.cors_origin': '*' } });
    const elsewhere = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(foreignPage);
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const address = elsewhere.address();
    const page = await browser.newPage();
    page.setDefaultTimeout(browserTimeoutMs);
    const port = typeof address === 'object' ? address?.port : 0;
    await page.goto(`http://127.0.0.1:${port}/?module=http://127.0.0.1:${rig.port}`);
    // Time stands still for the module, but reads are answered when data is there.
    const clock = setInterval(() => void rig.clock.advance(100), 20);
    const seen = await page.evaluate('window.use()');
    clearInterval(clock);
    expect(seen).toEqual({
      got: 'harbour-open\r\n',
      same: true,
      listing: expect.stringContaining('up.bin'),
      read: 'from the browser',
      back: 'to it too',
    });
    await page.close();
    elsewhere.close();
    await rig.close();
  });

  test('a page from flash may do the same without CORS', async () => {
    const rig = await webRig({ wire: 'sockets', files: { 'webapp/index.html': foreignPage } });
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${rig.port}/?module=http://127.0.0.1:${rig.port}`);
    const clock = setInterval(() => void rig.clock.advance(100), 20);
    expect(await page.evaluate('window.use()')).toMatchObject({ same: true, back: 'to it too' });
    clearInterval(clock);
    await page.close();
    await rig.close();
  });

  test('the status page shows the module, runs commands and takes a file', async () => {
    const rig = await webRig({ wire: 'sockets' });
    const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
    page.setDefaultTimeout(browserTimeoutMs);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${rig.port}/`);
    await page.waitForFunction("document.getElementById('status').textContent.includes('harbour-open')");
    await page.fill('#line', 'get wlan.security');
    await page.click('#prompt button');
    await page.waitForFunction("document.getElementById('terminal').textContent.includes('auto')");
    await page.setInputFiles('#file', { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.alloc(6_000, 'n') });
    await page.click('#upload button');
    await page.waitForFunction("document.getElementById('message').textContent.includes('is stored')");
    expect(rig.module.flash.stat('notes.txt')?.size).toBe(6_000);
    await page.waitForFunction("document.getElementById('log').textContent.includes('[Associated]')");
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(errors).toEqual([]);
    await page.close();
    await rig.close();
  });

  test('the setup page finds a network, tries it, stores it and restarts the module', async () => {
    const rig = await webRig({ wire: 'sockets', variables: { 'http.server.enabled': 0 } });
    await rig.run('setup web');
    await rig.clock.advance(0);
    const clock = setInterval(() => void rig.clock.advance(50), 10);
    const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
    page.setDefaultTimeout(browserTimeoutMs);
    await page.goto(`http://127.0.0.1:${rig.port}/`);
    await page.click('#networks button:not(:has-text("harbour-open")):has-text("harbour")');
    const point = defaultAir.accessPoints.find(({ ssid }) => ssid === 'harbour');
    await page.fill('#passkey', point?.passkey ?? '');
    await page.fill('#host', 'quay-1');
    await page.click('#go');
    await page.waitForFunction("document.getElementById('message').textContent.startsWith('Stored')");
    await page.waitForTimeout(200);
    clearInterval(clock);
    const { variables } = rig.module;
    expect([variables.get('wlan.ssid'), variables.get('wlan.auto_join.enabled'), variables.get('mdns.name')]).toEqual([
      'harbour',
      true,
      'quay-1',
    ]);
    expect(rig.module.webSetup.active).toBe(false);
    await page.close();
    await rig.close();
  });
});
