import { unwrap } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { type Archive, isMeasured, packArchive, rescue, unpackArchive } from '@moorage/gateway';
import { gatewayRig, type Way, ways } from '@moorage/gateway/testing/gateway-rig';
import { standInRig } from '@moorage/gateway/testing/stand-in-rig';
import { standInKinds, standIns } from '@moorage/gateway/testing/stand-ins';
import {
  loadPersonality,
  neutralPersonality,
  type Personality,
  strictPersonality,
} from '@moorage/module/personality/personality';
import { describe, expect, test } from 'vitest';
import { asStrict, takeIdentity, takeSettings, twinOf } from './twin.ts';

const other = {
  name: 'Breakwater',
  version: '2.1.0.4',
  built: '2014-11-02 09:30:00',
  build: 'a1b2c3d',
  module: 'BW100.2',
  board: 'BW100_Eval.1',
  cloudPrefix: 'bw',
  variableDefaults: { 'softap.ssid': 'Breakwater-#', 'uart.baud 1': '4800' },
  texts: {
    commandFailed: 'Failed',
    unknownCommand: 'What?',
    listVerboseHead: '! # Type Flags Hnd Size Version Filename',
  },
  rows: { listVerbose: '#%2d %c-%02X %04X %5d %9d %12s   %s' },
};

const personalities: Readonly<Record<string, Personality>> = {
  neutral: neutralPersonality,
  strict: strictPersonality(neutralPersonality),
  Breakwater: unwrap(loadPersonality(JSON.stringify(other))),
};

const files = {
  'webapp/index.html': '<h1>x</h1>'.repeat(900),
  '/favicon.ico': Buffer.from([0, 255, 1, 2]),
  'a b.txt': 'x',
};
const settings = [
  'set wlan.passkey moorings-7',
  'set wlan.passkey ""',
  'set uart.baud 1 9600',
  'set gpio.init 22 out 1',
  'set mdns.name tide-gauge',
  'set system.msg wlan_joined "[@tOn  line]"',
  // A hole in the flash.
  'file_delete webapp/index.html',
];

const rescued = async (way: Way, personality: Personality, more: Parameters<typeof gatewayRig>[0] = {}) => {
  const rig = await gatewayRig({ way, personality, files, settings, ...more });
  const driver = await rig.open();
  const archive = unwrap(await rig.until(rescue(driver, { clock: rig.clock })));
  await driver.close();
  return { rig, archive: unwrap(unpackArchive(packArchive(archive))) };
};

/** A rig whose module is the twin of an archive. */
async function twinRig(archive: Archive, way: Way) {
  const { model, personality } = twinOf(archive);
  const loaded = asStrict(archive, unwrap(loadPersonality(JSON.stringify(personality))));
  const store = new MemoryStore();
  expect(await takeIdentity(store, archive)).toBe(true);
  const rig = await gatewayRig({
    way,
    store,
    model,
    personality: loaded,
    prepare: async (module) => expect(await takeSettings(module, archive)).toEqual([]),
  });
  expect(await takeIdentity(store, archive)).toBe(false);
  return rig;
}

/** Clocks and counters apart. */
const steady = (text: string): string[] =>
  text.split('\r\n').filter((line) => !isMeasured(line.split(':', 1)[0] ?? ''));

describe.each(Object.entries(personalities))('a module of the firmware %s', (_, personality) => {
  test.each(ways)('rescued over %s has a twin that answers as it does', async (way) => {
    const { rig, archive } = await rescued(way, personality);
    const twin = await twinRig(archive, way);
    for (const line of ['help commands', 'help variables', 'get all', 'ls -v', 'version', 'get wlan.mac', 'nonsense'])
      expect(steady(await twin.run(line)), line).toEqual(steady(await rig.run(line)));
  });
});

test('the twin of a twin is the same', async () => {
  const { archive } = await rescued('http', personalities.Breakwater ?? neutralPersonality);
  const twin = await twinRig(archive, 'http');
  const driver = await twin.open();
  const again = unwrap(await twin.until(rescue(driver, { clock: twin.clock })));
  const plain = ({ taken_at: _, settings: all, texts, files: held, ...facts }: Archive) => ({
    ...facts,
    settings: all.filter(({ name }) => !isMeasured(name)),
    listing: texts.listing,
    // What the original does not give out is not the twin's either.
    files: held.map(({ crc, content, ...file }) => ({
      ...file,
      content: content && Buffer.from(content).toString('hex'),
    })),
  });
  expect(plain(again)).toEqual(plain(archive));
});

test.each(standInKinds)('the twin of a module of the kind %s lists its commands and has its address', async (kind) => {
  const rig = await standInRig(standIns[kind], 'serial');
  const driver = await rig.open();
  const archive = unwrap(await rig.until(rescue(driver, { clock: rig.clock })));
  const { personality, model } = twinOf(unwrap(unpackArchive(packArchive(archive))));
  const store = new MemoryStore();
  expect(await takeIdentity(store, archive)).toBe(true);
  const own = unwrap(loadPersonality('{}', personality));
  const twin = await gatewayRig({ store, model, personality: own, prepare: (module) => takeSettings(module, archive) });
  const names = (text: string) => text.split(/\r?\n/).map((line) => line.split(':', 1)[0]?.trim());
  expect(names((await twin.run('help commands')).slice(2)).toSorted()).toEqual(
    archive.commands.map(({ name }) => name).toSorted(),
  );
  expect(await twin.run('version')).toBe(`0 ${rig.standIn.version}`);
  expect(await twin.run('get wlan.mac')).toBe('0 4C:55:CC:10:00:2A');
  expect(await twin.run('get wlan.ssid')).toBe('0 harbour');
  expect(await twin.run('file_stat webapp/index.html')).toMatch(/^0 \d+,/);
  expect(await twin.run('ping')).toMatch(/^3 /);
});
