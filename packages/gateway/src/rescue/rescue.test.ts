import { success, unwrap, VirtualClock } from '@moorage/base';
import { allVariables } from '@moorage/module/variables/index';
import { HttpClient } from '@moorage/net/http/client';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { converge } from '../module/converge.ts';
import { contentInMemory } from '../module/files.ts';
import { isSecretName } from '../module/secret-names.ts';
import { SecretFilter } from '../module/secrets.ts';
import { type GatewayRigOptions, gatewayRig, ways } from '../testing/gateway-rig.ts';
import { packArchive, unpackArchive } from './archive.ts';
import { rescue } from './rescue.ts';
import { canLoad, differences, loadSaved, restore } from './restore.ts';

const page = '<h1>Tide gauge</h1>\r\n'.repeat(40);
const files = {
  'webapp/index.html': page,
  '/favicon.ico': Buffer.from([0, 255, 1, 2]),
  'a b.txt': 'x',
  ' lead.txt': 'y',
};
const settings = ['set system.msg wlan_joined "[@tOnline]"', 'set uart.baud 1 9600', 'set gpio.init 22 out 1'];

const rescued = async (options: GatewayRigOptions = {}, more: { withSecrets?: boolean } = {}) => {
  const rig = await gatewayRig({ files, settings, ...options });
  const driver = await rig.open();
  const archive = unwrap(await rig.until(rescue(driver, { clock: rig.clock, ...more })));
  return { rig, driver, archive };
};

test.each(ways)('a module is read whole over %s, and stays as it was', async (way) => {
  const rig = await gatewayRig({ way, files, settings });
  const before = [rig.module.variables.export(), rig.module.flash.list(), await rig.run('get all')];
  const driver = await rig.open();
  const { module } = rig;
  const archive = unwrap(await rig.until(rescue(driver, { clock: rig.clock })));
  expect([module.variables.export(), module.flash.list()]).toEqual(before.slice(0, 2));
  expect(module.streams.list()).toEqual([]);
  expect(archive.version).toBe(module.versionLine);
  expect(archive.commands.map(({ name }) => name)).toContain('file_create');
  expect(archive.variables.map(({ name }) => name)).toEqual(module.variables.names());
  expect(archive.settings).toContainEqual({ name: 'uart.baud 1', value: '9600' });
  expect(archive.gpio_count).toBe(29);
  for (const [name, content] of Object.entries(files))
    expect(archive.files.find((file) => file.name === name)?.content, name).toEqual(Buffer.from(content));
  await driver.close();
});

test('over a link of 10 Mbit/s and 6 ms files are read within 1.3 times of what the HTTP server alone needs', async () => {
  const names = Array.from({ length: 15 }, (_, file) => `webapp/page${file}.bin`);
  const content = Buffer.alloc(64 * 1024, 'quay');
  const rig = await gatewayRig({ files: Object.fromEntries(names.map((name) => [name, content])) });
  rig.meet({ latencyMs: 3, bytesPerSecond: 1_250_000 });
  const { clock, ports } = rig;
  const took = async (work: Promise<unknown>): Promise<number> => {
    const fromMs = clock.monotonic();
    let isOver = false;
    work.finally(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(1);
    return clock.monotonic() - fromMs;
  };
  const client = new HttpClient(ports.net, clock, { host: 'module', port: 80 });
  const fetchAll = async () => {
    for (const name of names) unwrap(await client.fetch(`/${name}`, content.length));
  };
  const aloneMs = await took(fetchAll());
  const driver = await rig.open();
  const rescuedMs = await took(rescue(driver, { clock }).then(unwrap));
  expect(rescuedMs / aloneMs).toBeLessThan(1.3);
  client.close();
  await driver.close();
});

test('an archive is a zip with readable parts, and comes back as it was', async () => {
  const { archive } = await rescued();
  const packed = packArchive(archive);
  const entries = unzipSync(packed);
  expect(Object.keys(entries)).toEqual(
    expect.arrayContaining(['module.json', 'texts/settings.txt', 'files/webapp/index.html', 'files/%2F/favicon.ico']),
  );
  expect(Buffer.from(entries['files/webapp/index.html'] ?? []).toString()).toBe(page);
  const { files: listed, ...facts } = unwrap(unpackArchive(packed));
  const plain = (from: typeof listed) => from.map((file) => ({ ...file, content: file.content?.toString() }));
  const { files: before, ...factsBefore } = archive;
  expect(facts).toEqual(factsBefore);
  expect(plain(listed)).toEqual(
    plain(before.map((file) => ({ ...file, content: file.content && new Uint8Array(file.content) }))),
  );
});

test('no cut of an archive is believed, nor a flipped bit in a file', async () => {
  const { archive } = await rescued();
  const packed = packArchive(archive);
  for (let length = 0; length < packed.length; length += 97)
    expect(unpackArchive(packed.subarray(0, length)).ok).toBe(false);
  const at = archive.files.findIndex(({ content }) => content && content.length > 100);
  const file = archive.files[at];
  const content = Uint8Array.from(file?.content ?? []);
  content[5] = (content[5] ?? 0) ^ 1;
  const changed = packArchive({
    ...archive,
    files: archive.files.map((each) => (each === file ? { ...each, content } : each)),
  });
  expect(unpackArchive(changed)).toMatchObject({ ok: false, error: expect.stringContaining('not as it was') });
});

describe('passwords', () => {
  const secret = 'moorings-77';
  const secrets = [`set wlan.passkey ${secret}`, `set softap.passkey ${secret}`];
  const script = { 'join.script': `set wl p ${secret}\r\n`, 'note.txt': `the key is ${secret}` };
  const key = { 'own.pem': '-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n' };
  const options = { way: 'serial', files: { ...script, ...key }, settings: secrets } as const;

  test('are in no archive', async () => {
    const { archive } = await rescued(options);
    const bytes = Object.values(unzipSync(packArchive(archive)));
    for (const entry of bytes) {
      expect(Buffer.from(entry).toString('latin1')).not.toContain(secret);
      expect(Buffer.from(entry).toString('latin1')).not.toContain('PRIVATE KEY');
    }
    expect(archive.unread.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['wlan.passkey', 'softap.passkey', 'join.script', 'note.txt', 'own.pem']),
    );
  });

  test('are not in values of other variables, which a restore leaves as they are', async () => {
    const more = [`set setup.auto.cmd "set wlan.passkey another-8"`, `set wlan.ssid net-${secret}`];
    const { archive, rig, driver } = await rescued({ way: 'serial' });
    for (const line of [...secrets, ...more]) expect(await rig.run(line)).toMatch(/^0/);
    const without = unwrap(await rig.until(rescue(driver, { clock: rig.clock })));
    const held = JSON.stringify({ settings: without.settings, texts: without.texts });
    expect(held).not.toMatch(/moorings-77|another-8/);
    for (const name of ['setup.auto.cmd', 'wlan.ssid']) {
      expect(without.settings).toContainEqual({ name, value: '' });
      expect(without.unread.map(({ what }) => what)).toContain(name);
    }
    expect(differences(without, archive).settings).toEqual([]);
    expect(without.texts.settings.split('\n')).toHaveLength(archive.texts.settings.split('\n').length);
  });

  test('are in an archive that is asked to have them', async () => {
    const { archive } = await rescued(options, { withSecrets: true });
    expect(archive.settings).toContainEqual({ name: 'wlan.passkey', value: secret });
    expect(archive.files.find(({ name }) => name === 'note.txt')?.content).toBeDefined();
  });

  test('are looked for once in a file of nothing but line ends', () => {
    const variables = [{ name: 'wlan.passkey', shortcut: 'wl p' }];
    const filter = new SecretFilter({ variables, settings: [], texts: [] });
    const blank = '\n'.repeat(2 ** 22);
    expect(filter.why(Buffer.from(blank))).toBeUndefined();
    expect(filter.why(Buffer.from(`${blank}  set wl p moorings`))).toBe('it sets a password');
  });

  test('are known by the names of their variables', () => {
    const named = allVariables.filter(({ name }) => isSecretName(name)).map(({ name }) => name);
    const harmless = ['http.server.tls_key', 'wlan.hide_passkey'];
    const secret = allVariables.flatMap((one) => (one.secret ? [one.name] : []));
    expect(named.toSorted()).toEqual([...secret, ...harmless].toSorted());
  });
});

test('a module that keeps long answers in streams has them read and given back', async () => {
  const { archive, rig } = await rescued({ settings: ['set system.cmd.buffered 1'] });
  expect(archive.variables.map(({ name }) => name)).toEqual(rig.module.variables.names());
  expect(rig.module.streams.list()).toEqual([]);
});

test.each([
  ['nothing to everything', () => ''],
  ['a version alone', (line: string) => (line === 'version' ? 'Firm-2.1.0.4' : '')],
])('what answers %s is not rescued', async (_, answer) => {
  const run = async (line: string) => success({ code: 0, bytes: Buffer.from(answer(line)) });
  const driver = { transport: 'http', address: 'http://peer:80', chunkBytes: 100, run, close: async () => {} } as const;
  expect(await rescue(driver, { clock: new VirtualClock() })).toMatchObject({ ok: false, error: { error: 'garbled' } });
});

test('what has been changed is put back, and nothing else is written', async () => {
  const { archive, rig, driver } = await rescued();
  for (const line of ['set user.data other', 'save', 'file_delete "a b.txt"', 'file_delete webapp/index.html'])
    await rig.run(line);
  await rig.run('file_create webapp/index.html 3', Buffer.from('new'));
  await rig.run('file_create mine.txt 3', Buffer.from('own'));
  const read = async () => unwrap(await rig.until(rescue(driver, { clock: rig.clock, withoutContents: true })));
  const found = differences(archive, await read());
  expect(found.files.map(({ name }) => name)).toEqual(['a b.txt', 'webapp/index.html']);
  expect(found.settings).toEqual([{ name: 'user.data', value: '', now: 'other' }]);
  expect(unwrap(await rig.until(restore(driver, found)))).toEqual([]);
  const left = differences(archive, await read());
  expect([left.files, left.settings]).toEqual([[], []]);
  expect(rig.module.flash.stat('mine.txt')).toBeDefined();
});

// Human mode has a prompt and no headers, machine mode headers and no prompt.
test.each([
  ['terminal', 'human'],
  ['serial', 'human'],
  ['serial-machine', 'machine'],
  ['serial-bare', 'human'],
  ['http', 'human'],
] as const)(
  'a module over %s whose line prints otherwise than in the archive gets the mode %s, saved',
  async (way, mode) => {
    const { archive, rig, driver } = await rescued({ way });
    await driver.close();
    const other = mode === 'human' ? 'machine' : 'human';
    for (const line of ['set user.data other', `set system.cmd.mode ${other}`, 'save']) await rig.run(line);
    const changed = await rig.open();
    const read = async () => unwrap(await rig.until(rescue(changed, { clock: rig.clock, withoutContents: true })));
    expect(unwrap(await rig.until(restore(changed, differences(archive, await read()))))).toEqual([]);
    expect(differences(archive, await read()).settings).toEqual([]);
    await changed.close();
    await rig.module.variables.load();
    const saved = [
      'user.data',
      'system.cmd.mode',
      'system.cmd.echo',
      'system.cmd.prompt_enabled',
      'system.print_level',
    ];
    for (const name of saved)
      expect(await rig.run(`get ${name}`), name).toBe(`0 ${archive.settings.find((one) => one.name === name)?.value}`);
  },
);

test('what is set and not saved is neither taken for saved nor saved by a restore', async () => {
  const { archive, rig, driver } = await rescued();
  for (const line of ['set user.data other', 'save', 'set user.data ""', 'set wlan.passkey tried-and-wrong'])
    await rig.run(line);
  const read = async () => unwrap(await rig.until(rescue(driver, { clock: rig.clock, withoutContents: true })));
  const isSet = differences(archive, await read());
  expect([isSet.files, isSet.settings]).toEqual([[], []]);
  expect(unwrap(await rig.until(restore(driver, isSet)))).toEqual([]);
  expect(canLoad(archive)).toBe(true);
  expect(unwrap(await rig.until(loadSaved(driver)))).toBe(true);
  // The restore has saved nothing.
  const isSaved = differences(archive, await read());
  expect(isSaved.settings).toEqual([{ name: 'user.data', value: '', now: 'other' }]);
  expect(unwrap(await rig.until(restore(driver, isSaved)))).toEqual([]);
  await rig.module.variables.load();
  expect([await rig.run('get user.data'), await rig.run('get wlan.passkey')]).toEqual(['0 ', '0 ']);
});

test('files that hold already what is wanted are not written again', async () => {
  const { rig, driver, archive } = await rescued();
  const file = archive.files.find(({ name }) => name === 'webapp/index.html');
  const { version = [1, 0, 0, 0] as const, type = 0xfe } = file ?? {};
  const wanted = { name: 'webapp/index.html', ...contentInMemory(Buffer.from(page)), version, type, letters: '' };
  expect(unwrap(await rig.until(converge(driver, [{ name: wanted.name, file: wanted }])))).toBe(0);
  expect(unwrap(await rig.until(converge(driver, [{ name: wanted.name, file: undefined }])))).toBe(1);
  expect(rig.module.flash.stat(wanted.name)).toBeUndefined();
});
