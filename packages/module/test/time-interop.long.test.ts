import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { realClock, ScaledClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { nodeNet } from '@moorage/net/node';
import { afterEach, describe, expect, test } from 'vitest';
import { createModule, type Module } from '../src/module.ts';
import { offlinePersonality } from '../src/testing/offline.ts';
import { background, freePort, missingProgram, output } from './interop.ts';

const reason = missingProgram('chronyd', 'chronyc');
const serverIp = '127.0.0.41';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A time server that neither sets the host's clock nor asks other servers. */
async function chronyd(...settings: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-chrony-'));
  ends.push(async () => rmSync(folder, { recursive: true }));
  const port = await freePort(serverIp, 'udp');
  const file = join(folder, 'chrony.conf');
  const socket = join(folder, 'run', 'commands');
  const own = [`bindaddress ${serverIp}`, 'allow 127.0.0.0/8', `port ${port}`, `pidfile ${join(folder, 'pid')}`];
  writeFileSync(file, [...own, 'cmdport 0', `bindcmdaddress ${socket}`, ...settings, ''].join('\n'));
  // -x leaves the clock alone; -d keeps it in the foreground.
  const server = await background('chronyd', ['-x', '-d', '-u', userInfo().username, '-f', file], /chronyd version/);
  ends.push(() => server.stop());
  return { server: `${serverIp}:${port}`, tell: (...words: string[]) => output('chronyc', ['-h', socket, ...words]) };
}

async function joined(server: string): Promise<Module> {
  const module = await createModule({
    // An hour is a minute, so that what is waited for would come too late otherwise.
    clock: new ScaledClock(60),
    hostClock: realClock,
    store: new MemoryStore(),
    net: nodeNet({ ip: '127.0.0.42', portOffset: 0, listenLan: false }),
    seed: 1,
    personality: offlinePersonality,
  });
  ends.push(() => module.close());
  await module.boot();
  for (const line of ['broadcast.interval 0', `ntp.server ${server}`, 'ntp.enabled 1', 'wlan.ssid harbour-open']) {
    expect((await module.execute(`set ${line}`)).code, line).toBe(0);
  }
  expect((await module.wlan.ensureUp('wlan')).ok).toBe(true);
  return module;
}

const isSet = (module: Module) => expect.poll(() => module.rtc.isSet, { interval: 20 }).toBe(true);

// MOD-RULE-time
describe.skipIf(reason !== '')(`network time beside chronyd${reason && ` (skipped: ${reason})`}`, () => {
  test('a server that knows the time sets the clock', async () => {
    const { server } = await chronyd('local stratum 8');
    const module = await joined(server);
    await isSet(module);
    // In ms; a minute of the module passes in a second.
    expect(Math.abs(module.rtc.nowMs() - Date.now())).toBeLessThan(60_000);
  });

  test('a server that does not know the time yet is asked again before the hour is over', async () => {
    const { server, tell } = await chronyd();
    const module = await joined(server);
    // It has been asked once, and has said that it does not know.
    await expect.poll(() => tell('serverstats'), { interval: 50 }).toMatch(/NTP packets received +: 1$/m);
    expect(module.rtc.isSet).toBe(false);
    expect(await tell('local', 'stratum', '8')).toContain('200 OK');
    await isSet(module);
  });
});
