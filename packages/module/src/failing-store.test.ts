import { unwrap } from '@moorage/base';
import { FailingStore, type StoreFault } from '@moorage/base/store/failing';
import { MemoryStore } from '@moorage/base/store/memory';
import { expect, test } from 'vitest';
import { allCommands } from './commands/index.ts';
import { type Door, doors, failingRig, faultsOf, flashProblems } from './testing/failing-rig.ts';
import { webRig } from './testing/web-rig.ts';

/** The module of the examples. */
const exampleMac = '4C:55:CC:10:78:9B';

/** Lines that reach more of the store than the examples of their commands. */
const more = [
  'save',
  'load',
  'file_create new.txt 5',
  'file_create -o parts.txt 5',
  'stream_read 0 5',
  `format_flash extended ${exampleMac}`,
  'http_download http://files.example/new.html new.html',
  'http_download http://files.example/%s boot.script',
  'cloud_activate ada secret caps.json',
  'cloud_write temp 21.5',
  'cloud_write led1 1',
  'cloud_sync both',
  'cloud_message post',
  'dms provision',
  'dms claim ada secret',
  'dms file upload device hello.txt',
  'setup cmd',
];

/** Every command as its example has it, and those lines. One that takes data gets some. */
const lines: readonly string[] = [...allCommands.map(({ example = '' }) => example), ...more];

async function rigFor(example: string) {
  const rig = await failingRig({ active: !example.startsWith('cloud_activate') });
  await rig.run('file_open hello.txt');
  const line = example.replace(exampleMac, rig.module.identity.mac);
  return { ...rig, act: (door: Door) => rig.send(door, line, 'hello') };
}

/** Every line with the calls of the store that it makes while that works. */
const rows: { line: string; calls: number }[] = [];
for (const line of lines) {
  const { store, act } = await rigFor(line);
  store.fail();
  await act('whole');
  if (store.calls > 0) rows.push({ line, calls: store.calls });
}

test.each(rows)('$line survives a store that fails', async ({ line, calls }) => {
  for (const [index, fault] of faultsOf(calls).entries()) {
    for (const door of calls > 8 ? [doors[index % 2] ?? 'line'] : doors) {
      const where = `${door} ${JSON.stringify(fault)}`;
      const { module, store, act, run, clock, mistakes } = await rigFor(line);
      store.fail(fault);
      expect(await act(door), where).toMatch(door === 'line' ? /^R\d{6}/m : /^\d /);
      store.fail();
      // A boot waits for its store.
      await clock.advance(5_000);
      if (module.power.state === 'asleep') await module.reset();
      expect(mistakes, where).toEqual([]);
      expect(await run('version'), where).toMatch(/^0 /);
      expect(await flashProblems(module.flash, store), where).toEqual([]);
      expect(await run('save'), where).toMatch(/^0 /);
      if (!module.safeMode) expect(await run('file_create after.txt 5', 'after'), where).toBe('0 File created');
      await module.close();
    }
  }
});

const dead: StoreFault = { at: 0, calls: Number.POSITIVE_INFINITY, code: 'EIO', effect: 'lost' };

// MOD-HTTP-status-200, MOD-HTTP-status-500
test('the HTTP server answers while the store fails, and says why', async () => {
  const store = new FailingStore(new MemoryStore());
  const rig = await webRig({ store, files: { 'page.html': '<p>page</p>' } });
  rig.logged();
  store.fail({ ...dead, code: 'ENOSPC' });
  const failed = { code: 1, response: 'Command failed\r\n' };
  expect(await rig.command({ command: 'save' })).toMatchObject(failed);
  expect(await rig.command({ command: 'file_create x.txt 5', data: 'hello' })).toMatchObject(failed);
  expect(rig.logged()).toEqual(['Storage full', 'Storage full']);
  expect((await rig.call('GET', '/page.html')).status).toBe(500);
  expect(rig.logged()).toEqual(['HTTP server error: Storage full']);
  store.fail();
  expect((await rig.call('GET', '/page.html')).text).toBe('<p>page</p>');
  expect(await rig.command({ command: 'save' })).toMatchObject({ code: 0 });
  await rig.close();
});

/** Settings with which the module reads its flash by itself, and what makes it do so. */
const byItself: readonly (readonly [what: string, settings: readonly string[], act: (rig: Rig) => unknown])[] = [
  ['a crash', [], ({ module }) => module.fault('Bus Fault')],
  ['the reset pin', [], ({ module }) => module.reset()],
  ['the pin that brings the defaults', [], holdPin],
  ['a boot that ends sleep', [], ({ module }) => module.sleep().then(() => module.reset())],
  [
    'the HTTPS server',
    [
      'http.server.enabled 1',
      'http.server.tls_enabled 1',
      'http.server.tls_cert cert.pem',
      'http.server.tls_key key.pem',
    ],
    restart,
  ],
  [
    'a TLS server',
    [
      'tcp.server.auto_start 1',
      'tcp.server.tls_enabled 1',
      'http.server.tls_cert cert.pem',
      'http.server.tls_key key.pem',
    ],
    restart,
  ],
  [
    'the status broadcast',
    ['broadcast.interval 1', 'broadcast.http.host https://files.example/', 'network.ca_cert ca.pem'],
    restart,
  ],
  [
    'SOLO mode',
    ['cloud.solo.enabled 1', 'cloud.solo.gpio 0 temp', 'cloud.solo.sync_period 1'],
    ({ module }) => module.reset(),
  ],
  [
    'controls of the service',
    [],
    ({ module }) => module.client.act({ action: 'control', controls: [{ n: 'led1', v: 1, t: 1_800_000_000 }] }),
  ],
];

type Rig = Awaited<ReturnType<typeof rigFor>>;

/** The module boots with the pin held, and then its store fails. */
async function holdPin({ module, store }: Rig): Promise<void> {
  store.fail();
  module.pins.drive(0, 1);
  await module.reboot();
  store.fail(dead);
}

async function restart({ module }: Rig): Promise<void> {
  module.wlan.down('wlan');
  unwrap(await module.wlan.ensureUp('wlan'));
}

test.each(byItself)('%s over a store that fails is said in the log, and goes on with it', async (_, settings, act) => {
  const rig = await rigFor('');
  const { clock, module, run, store } = rig;
  for (const setting of settings) expect(await run(`set ${setting}`), setting).toBe('0 Set OK');
  await run('save');
  store.fail(dead);
  void act(rig);
  for (let step = 0; step < 200; step++) await clock.advance(100);
  expect(store.calls).toBeGreaterThan(0);
  expect(module.log.entries().join('\n')).toContain('Storage failed');
  store.fail();
  await clock.advance(5_000);
  expect(await run('version')).toMatch(/^0 /);
  expect(await run('save')).toMatch(/^0 /);
  await module.close();
});
