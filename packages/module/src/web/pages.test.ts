import { pbkdf2Sync } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { webRig } from '../testing/web-rig.ts';

const asBrowser = { 'accept-encoding': 'gzip, deflate, br' };

const folder = new URL('pages/', import.meta.url);

test('the pages of the firmware are small', () => {
  const bytes = readdirSync(folder).map((name) => statSync(new URL(name, folder)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(24 * 1024);
});

test('a page of the firmware is served while the flash has none of its name', async () => {
  const rig = await webRig();
  for (const [path, type] of [
    ['/', 'text/html'],
    ['/webapp/app.js', 'application/javascript'],
    ['/webapp/app.css', 'text/css'],
    ['/setup/index.html', 'text/html'],
    ['/setup/index.js', 'application/javascript'],
    ['/setup/index.css', 'text/css'],
  ] as const) {
    const page = await rig.call('GET', path, { headers: asBrowser });
    expect([page.status, page.headers['content-type'], page.headers['content-encoding']]).toEqual([200, type, 'gzip']);
    expect(gunzipSync(page.body).length).toBeGreaterThan(500);
    const again = await rig.call('GET', path, {
      headers: { ...asBrowser, 'if-none-match': String(page.headers.etag) },
    });
    expect(again.status).toBe(304);
    const part = await rig.call('GET', path, { headers: { ...asBrowser, range: 'bytes=2-5' } });
    expect([part.status, part.body]).toEqual([206, page.body.subarray(2, 6)]);
    expect((await rig.call('HEAD', path, { headers: asBrowser })).headers['content-length']).toBe(
      String(page.body.length),
    );
  }
  await rig.put('webapp/index.html', 'installed');
  expect((await rig.call('GET', '/')).text).toBe('installed');
  await rig.run('file_delete webapp/index.html');
  expect((await rig.call('GET', '/', { headers: asBrowser })).headers['content-encoding']).toBe('gzip');
  await rig.close();
});

const offers: readonly (readonly [string | undefined, boolean])[] = [
  [undefined, false],
  ['', false],
  ['identity', false],
  ['deflate, br', false],
  ['gzip;q=0', false],
  ['gzip; q=0.000, *', false],
  ['*;q=0', false],
  ['gzip;q=x', false],
  ['gzip', true],
  ['GZIP;q=0.1', true],
  ['br;q=1, gzip ; q=0.5', true],
  ['x-gzip', true],
  ['*', true],
];
test.each(offers)('a page is packed only for clients that offer it: %j', async (offer, packed) => {
  const rig = await webRig({ wire: 'sockets' });
  const headers: Record<string, string> = offer === undefined ? {} : { 'accept-encoding': offer };
  const page = await rig.call('GET', '/', { headers });
  expect([page.headers['content-encoding'], page.headers.vary]).toEqual([
    packed ? 'gzip' : undefined,
    'Accept-Encoding',
  ]);
  expect((packed ? gunzipSync(page.body) : page.body).toString()).toBe(
    readFileSync(new URL('status.html', folder), 'utf8'),
  );
  const other = await rig.call('GET', '/', { headers: packed ? {} : asBrowser });
  expect(other.headers.etag).not.toBe(page.headers.etag);
  await rig.close();
});

test('a page of the firmware needs authorization as files do', async () => {
  const rig = await webRig({ variables: { 'http.server.username': 'ada', 'http.server.password': 'secret' } });
  for (const path of ['/', '/webapp/app.js', '/setup/index.html'])
    expect((await rig.call('GET', path)).status).toBe(401);
  await rig.close();
});

test('the key that the setup page works out is that of WPA', async () => {
  const source = readFileSync(new URL('setup.js', folder), 'utf8');
  // The page has no other part that runs without a browser.
  const part = source.slice(source.indexOf('const rotate'), source.indexOf('async function verify'));
  const { wpaKey } = (await import(`data:text/javascript,${encodeURIComponent(part)}`)) as {
    wpaKey: (passkey: string, ssid: string) => string;
  };
  for (const [passkey, ssid] of [
    ['password', 'IEEE'],
    ['ThisIsAPassword', 'ThisIsASSID'],
    ['a'.repeat(63), 'ü'.repeat(16)],
  ] as const) {
    expect(wpaKey(passkey, ssid)).toBe(pbkdf2Sync(passkey, ssid, 4096, 32, 'sha1').toString('hex'));
  }
  expect(wpaKey('0f'.repeat(32), 'any')).toBe('0f'.repeat(32));
});
