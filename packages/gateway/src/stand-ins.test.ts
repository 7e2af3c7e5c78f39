import { unwrap } from '@moorage/base';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { answerText } from './driver/driver.ts';
import { isWhole, packArchive, unpackArchive } from './rescue/archive.ts';
import { rescue } from './rescue/rescue.ts';
import { type StandInWay, standInRig, standInWays } from './testing/stand-in-rig.ts';
import { planted, type StandInKind, standIns } from './testing/stand-ins.ts';

/** What an archive of each kind has, lists and leaves out. */
const expected: Readonly<
  Record<
    StandInKind,
    { readonly unread: readonly string[]; readonly overHttp?: readonly string[]; readonly files: number }
  >
> = {
  bare: { unread: ['help variables', 'file_stat'], files: 5 },
  columns: { unread: ['ls -v', 'file_stat'], files: 5 },
  slow: { unread: ['help variables'], files: 5 },
  chatty: { unread: ['help variables'], files: 5 },
  hostile: { unread: ['help variables', 'huge.bin', 'growing.log'], overHttp: ['get all'], files: 10 },
};

const held = [
  'wlan.passkey',
  'ap.wpa_psk',
  'cloud.apiToken',
  'door.PIN',
  'mail.smtp-pass',
  'sign.privKey',
  'user.note',
];
const heldFiles = ['config.json', 'join.script', 'site.ini'];

const spelled = planted.flatMap((secret) => [
  secret,
  secret.replaceAll('"', '\\"'),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
]);

const cases = (Object.keys(standIns) as StandInKind[]).flatMap((kind) =>
  (Object.keys(standInWays) as StandInWay[]).map((way) => [kind, way] as const),
);

test.each(cases)('a module of the kind %s is rescued over %s as far as it shows itself', async (kind, way) => {
  const rig = await standInRig(standIns[kind], way);
  const driver = await rig.open();
  const archive = unwrap(await rig.until(rescue(driver, { clock: rig.clock })));
  await driver.close();
  const { unread, overHttp = [], files } = expected[kind];
  const failed = archive.unread.filter((one) => one.kind === 'failed').map(({ what }) => what);
  expect(failed.toSorted()).toEqual([...unread, ...(way === 'http' ? overHttp : [])].toSorted());
  expect(isWhole(archive)).toBe(failed.length === 0);
  expect(archive.version).toBe(rig.standIn.version);
  expect(archive.commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['file_open', 'version', 'get']));
  expect(archive.commands).toHaveLength(16);
  expect(archive.files).toHaveLength(files);
  for (const name of ['webapp/index.html', 'bytes.bin'])
    expect(archive.files.find((file) => file.name === name)?.content, name).toEqual(rig.standIn.files.get(name));
  const isAll = !(kind === 'hostile' && way === 'http');
  if (isAll) {
    const values = Object.fromEntries(archive.settings.map(({ name, value }) => [name, value]));
    const shown = [...rig.standIn.variables].map(([name, value]) => [name, held.includes(name) ? '' : value]);
    expect(values).toEqual(Object.fromEntries(shown));
    const secret = archive.unread.filter((one) => one.kind === 'secret').map(({ what }) => what);
    expect(secret).toEqual(expect.arrayContaining([...held, ...heldFiles]));
  }
  // Nothing was written, and every stream is given back.
  expect([rig.standIn.writes, rig.standIn.openStreams]).toEqual([[], 0]);
  const packed = packArchive(archive);
  expect(unpackArchive(packed)).toMatchObject({ ok: true });
  for (const [name, entry] of Object.entries(unzipSync(packed))) {
    const text = name + Buffer.from(entry).toString('latin1');
    expect(
      spelled.filter((secret) => text.includes(secret)),
      name,
    ).toEqual([]);
    expect(name, 'a path within the archive').toMatch(
      /^(module\.json|texts\/\w+\.txt|files(\/(?!\.+(\/|$))[^/\\\u0000-\u001f]+)+)$/,
    );
  }
});

describe.each(['terminal', 'serial', 'rfc2217'] as const)('over %s', (way) => {
  test.each([
    ['late', { delayMs: [0, 5_000] }],
    ['late by more than any silence', { delayMs: [5_000, 5_000] }],
    ['at a moment that was an end of an answer once', { delayMs: [350, 350] }],
    ['among other talk', { delayMs: [0, 2_000], chatterMs: 350 }],
    ['among constant talk', { delayMs: [0, 300], chatterMs: 90 }],
  ] as const)('an answer that comes %s is that of its question', async (_, traits) => {
    const rig = await standInRig({ ...standIns.bare, ...traits }, way);
    const driver = await rig.open();
    const asked = [
      ['get wlan.ssid', 'harbour'],
      ['version', rig.standIn.version],
      ['get wlan.mac', '4C:55:CC:10:00:2A'],
      ['get nonsense', 'Unknown variable'],
    ] as const;
    for (let round = 0; round < 4; round++)
      for (const [line, answer] of asked) expect(answerText(unwrap(await rig.until(driver.run(line))))).toBe(answer);
    await driver.close();
  });
});
