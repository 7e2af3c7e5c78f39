import { crc16, unwrap, VirtualClock } from '@moorage/base';
import type { Connection } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import { describe, expect, test } from 'vitest';
import { answerText } from './driver/driver.ts';
import { HttpDriver } from './driver/http.ts';
import { openDriver } from './driver/open.ts';
import { contentInMemory, deleteFile, listFiles, readFile, statFile, writeFile } from './module/files.ts';
import { askText } from './module/tables.ts';
import { gatewayRig, ways } from './testing/gateway-rig.ts';

/** Every byte, prompts and headers among them. */
const pattern = (size: number): Uint8Array => {
  const text = Buffer.from('\r\n> R000009\r\nSuccess\r\n\xff\xff\xf1> ', 'latin1');
  return Uint8Array.from({ length: size }, (_, at) => (at % 64 < 24 ? (text[at % text.length] ?? 0) : (at * 7) & 0xff));
};

describe.each(ways)('over %s', (way) => {
  test('a line has its code and its text', async () => {
    const rig = await gatewayRig({ way });
    const driver = await rig.open();
    const run = async (line: string) => {
      const { code, ...rest } = unwrap(await rig.until(driver.run(line)));
      return `${code} ${answerText({ code, ...rest })}`;
    };
    expect(await run('version')).toBe(`0 ${rig.module.versionLine}`);
    expect(await run('get wlan.ssid')).toBe('0 harbour-open');
    expect(await run('nonsense')).toMatch(/^3 /);
    expect(await run('file_stat missing.txt')).toMatch(/^1 /);
    expect(await run('get no.such')).toMatch(/^6 /);
    expect(await run('set user.data "a"b"')).toMatch(/^2 /);
    expect(await run('get user.data')).toBe('0 ');
    await driver.close();
  });

  test('tables come whole', async () => {
    const rig = await gatewayRig({ way, files: { 'a b.txt': 'x' } });
    const driver = await rig.open();
    for (const line of ['help commands', 'help variables', 'ls -v']) {
      const text = unwrap(await rig.until(askText(driver, line)));
      expect(text).toBe((await rig.run(line)).slice(2).replaceAll('\r\n', '\n'));
    }
    expect(unwrap(await rig.until(listFiles(driver))).map(({ name }) => name)).toContain('a b.txt');
    await driver.close();
  });

  test('files of any bytes are written, read and deleted', async () => {
    const rig = await gatewayRig({ way });
    const driver = await rig.open();
    const content = pattern(9_000);
    const facts = { version: [1, 2, 3, 4] as const, type: 0xfe, letters: 'u' };
    const file = { name: 'webapp/any bytes.bin', ...contentInMemory(content), ...facts };
    expect(await rig.until(writeFile(driver, file))).toEqual({ ok: true, value: undefined });
    expect(rig.module.flash.stat(file.name)).toMatchObject({ version: [1, 2, 3, 4], crc: crc16(content) });
    const stat = unwrap(await rig.until(statFile(driver, file.name)));
    expect(stat).toEqual({ size: 9_000, crc: crc16(content) });
    const read = unwrap(await rig.until(readFile(driver, { name: file.name, size: 9_000 }, stat?.crc)));
    expect(Buffer.from(read).equals(Buffer.from(content))).toBe(true);
    expect(rig.module.streams.list()).toEqual([]);
    expect(await rig.until(deleteFile(driver, file.name))).toEqual({ ok: true, value: undefined });
    expect(rig.module.flash.stat(file.name)).toBeUndefined();
    await driver.close();
  });
});

test('an IPv6 address stands in brackets in the Host header', async () => {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  let asked = '';
  const accept = ({ stream }: Connection): void =>
    void stream.on('data', (bytes: Buffer) => {
      asked += bytes.toString('latin1');
    });
  unwrap(await network.attach('::1', '::1').listen(29001, accept));
  const driver = new HttpDriver({ net: network.attach('gateway', '10.5.6.2'), clock, host: '::1', port: 29001 });
  const answered = driver.run('version');
  for (let step = 0; step < 30; step++) await clock.advance(1_000);
  expect(asked.toLowerCase()).toContain('host: [::1]:29001\r\n');
  expect(await answered).toMatchObject({ ok: false });
  await driver.close();
});

// MOD-AUTH-1, MOD-AUTH-3, MOD-AUTH-6
describe('a module whose HTTP server wants a login', () => {
  const settings = ['set http.server.username ada', 'set http.server.password "open sesame"'];

  test('answers what its whitelist opens, gives what is unprotected, and denies the rest', async () => {
    const rig = await gatewayRig({ settings, files: { 'http_whitelist.csv': 'version,get wlan.*,file_stat*' } });
    const driver = await rig.open();
    const run = (line: string) => rig.until(driver.run(line));
    expect(answerText(unwrap(await run('get wlan.ssid')))).toBe('harbour-open');
    expect(await run('get http.server.port')).toMatchObject({ ok: false, error: { error: 'denied' } });
    await rig.run('file_create -u open.txt 4', Buffer.from('open'));
    const opened = await rig.until(readFile(driver, { name: 'open.txt', size: 4 }, crc16(Buffer.from('open'))));
    expect(Buffer.from(unwrap(opened)).toString()).toBe('open');
    const closed = await rig.until(readFile(driver, { name: 'http_whitelist.csv', size: 29 }, undefined));
    expect(closed).toMatchObject({ ok: false, error: { error: 'denied' } });
  });

  test('denies another password', async () => {
    const rig = await gatewayRig({ settings });
    const opened = await rig.until(openDriver(rig.ports, rig.address, { username: 'ada', password: 'guess' }));
    expect(opened).toMatchObject({ ok: false, error: { error: 'denied' } });
    expect(opened).toMatchObject({ error: { detail: expect.stringContaining('is another') } });
    expect(JSON.stringify(opened)).not.toContain('guess');
    const nameless = await rig.until(openDriver(rig.ports, rig.address, {}));
    expect(nameless).toMatchObject({ ok: false, error: { detail: expect.stringContaining('wants the name') } });
  });
});
