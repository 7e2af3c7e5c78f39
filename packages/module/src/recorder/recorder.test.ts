import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import { afterEach, describe, expect, test } from 'vitest';
import { attachSession } from '../bus/attach-session.ts';
import type { Board } from '../commands/board.ts';
import { createModule } from '../module.ts';
import { loadPersonality } from '../personality/personality.ts';
import { compareWithModule } from './compare-module.ts';
import { Recorder } from './record.ts';
import { type Entry, exchangesOf, type Form, parseRecording, reserialLine } from './recording.ts';
import { type Deviation, Replay } from './replay.ts';
import { Secrets } from './secrets.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recorder-'));
  folders.push(folder);
  return join(folder, 'recording.jsonl');
}

/** Two ends of one line. */
function pair(): readonly [Duplex, Duplex] {
  const end = (other: () => Duplex): Duplex =>
    new Duplex({
      read: () => {},
      write(bytes: Buffer, _encoding, done) {
        other().push(bytes);
        done();
      },
    });
  const near: Duplex = end(() => far);
  const far: Duplex = end(() => near);
  return [near, far];
}

const options = { seed: 1 };

/** A dialogue with a module of a seed and a personality, recorded. */
async function record(
  lines: readonly string[],
  { personality = '{}', form = 'moorage' as Form, withSecrets = false } = {},
): Promise<string> {
  const clock = new VirtualClock();
  const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
  const own = unwrap(loadPersonality(personality));
  const module = await createModule({ clock, net, store: new MemoryStore(), seed: 1, personality: own });
  const booted = module.boot();
  await clock.advance(10_000);
  await booted;
  const output = newFile();
  const recorder = new Recorder({ output, form, withSecrets, clock });
  await recorder.opened();
  const [board, device] = pair();
  attachSession<Board>(module, 'serial', board);
  recorder.attachModule(device);
  const [host, tap] = pair();
  recorder.attachHost(tap);
  host.resume();
  for (const line of lines) {
    host.write(Buffer.from(line, 'latin1'));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(3_000);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  await recorder.close();
  await module.close();
  return output;
}

const dialogue = [
  '\r\n',
  'set system.cmd.mode machine\r\n',
  'version\r\n',
  'file_create a.txt 5\nhello',
  'file_stat a.txt\n',
  'save\n',
  'get wlan.mac\n',
  'nonsense\n',
];

const entriesOf = (file: string): readonly Entry[] => unwrap(parseRecording(readFileSync(file, 'utf8')));

describe('a recording of the twin', () => {
  test('compares equal with it', async () => {
    const exchanges = exchangesOf(entriesOf(await record(dialogue)));
    expect(exchanges).toHaveLength(dialogue.length);
    expect(await compareWithModule(exchanges, options)).toEqual([]);
  });

  test('replays to a host that does the same', async () => {
    const exchanges = exchangesOf(entriesOf(await record(dialogue)));
    const written: string[] = [];
    const deviations: Deviation[] = [];
    let isDone = false;
    const replay = new Replay(exchanges, {
      write: (bytes) => written.push(bytes),
      deviated: (deviation) => deviations.push(deviation),
      done: () => {
        isDone = true;
      },
    });
    replay.begin();
    for (const byte of dialogue.join('')) replay.receive(byte);
    expect(written.join('')).toBe(exchanges.map(({ module }) => module).join(''));
    expect([isDone, deviations]).toEqual([true, []]);
  });
});

test('a module of another generation differs by kind: texts, framing and times', async () => {
  const personality = JSON.stringify({
    texts: { fileCreated: 'Created' },
    variableDefaults: { 'system.cmd.prompt_enabled': '0' },
    timings: { saveMs: 1_500 },
  });
  const exchanges = exchangesOf(entriesOf(await record(dialogue, { personality })));
  const found = await compareWithModule(exchanges, options);
  expect(found.map(({ kind, recorded, virtual }) => [kind, recorded, virtual])).toEqual([
    ['framing', '\r\n', '\r\n> '],
    ['text', 'Created', 'File created'],
    ['timing', '1500 ms', '0 ms'],
  ]);
  // The same personality makes it equal: it is proven.
  const own = unwrap(loadPersonality(personality));
  expect(await compareWithModule(exchanges, { ...options, personality: own })).toEqual([]);
});

describe('replay', () => {
  const exchanges = [
    { host: '', module: '[Ready]\r\n', waitMs: undefined, lastsMs: 0 },
    { host: 'one\n', module: '1\r\n', waitMs: 1, lastsMs: 1 },
    { host: 'set wlan.passkey ********\n', module: 'Set OK\r\n', waitMs: 1, lastsMs: 1 },
    { host: 'three\n', module: '3\r\n', waitMs: 1, lastsMs: 1 },
  ];

  test.each([
    ['one\nset wlan.passkey moorings\nthree\n', '[Ready]\r\n1\r\nSet OK\r\n3\r\n', []],
    ['one\nset wlan.passkey short\nthree\n', '[Ready]\r\n1\r\n3\r\n', ['set wlan.passkey short\n']],
    ['one\nextra\nset wlan.passkey moorings\nthree\n', '[Ready]\r\n1\r\nSet OK\r\n3\r\n', ['extra\n']],
    ['one\nthree\n', '[Ready]\r\n1\r\n3\r\n', ['three\n']],
    ['one\nset wlan.passkey moorings\nthree\nfour\n', '[Ready]\r\n1\r\nSet OK\r\n3\r\n', ['four\n']],
  ])('of %j answers %j and names what is otherwise', (sent, answered, otherwise) => {
    let written = '';
    const deviations: Deviation[] = [];
    const replay = new Replay(exchanges, {
      write: (bytes) => (written += bytes),
      deviated: (deviation) => deviations.push(deviation),
      done: () => {},
    });
    replay.begin();
    replay.receive(sent);
    expect([written, deviations.map((deviation) => deviation.sent)]).toEqual([answered, otherwise]);
  });
});

describe('passwords and keys', () => {
  const secrets = [
    'set wlan.passkey "se""cret 1"\n',
    'get wlan.passkey\n',
    'get wlan\n',
    'set http.server.password pass\\word\n',
    'network_verify wifi quay 026D6F000001 6 4 moorings9\n',
    'cloud_activate ada lovelace7\n',
    'dms claim ada byron1815\n',
  ];
  const words = /se"cret 1|se""cret 1|pass\\word|moorings9|lovelace7|byron1815/;

  test('are blanked, lengths kept', async () => {
    const file = await record(['set system.cmd.mode machine\n', ...secrets]);
    expect(readFileSync(file, 'utf8').replaceAll('\\"', '"').replaceAll('\\\\', '\\')).not.toMatch(words);
    const open = entriesOf(await record(['set system.cmd.mode machine\n', ...secrets], { withSecrets: true }));
    expect(open.map(({ bytes }) => bytes).join('')).toMatch(words);
    expect(entriesOf(file).map(({ bytes }) => bytes.length)).toEqual(open.map(({ bytes }) => bytes.length));
  });

  test('that a question asks for are blanked, though their echo comes byte by byte', () => {
    const secrets = new Secrets();
    const entry = (from: 'host' | 'module', bytes: string): Entry => ({ ms: 0, from, bytes });
    secrets.blank([entry('host', '0\r'), entry('module', '0\r\nType the network password: ')]);
    const typed = [...'moorings'].flatMap((byte) => [entry('host', byte), entry('module', byte)]);
    const blanked = secrets.blank([...typed, entry('host', '\r'), entry('module', '\r\nIn progress\r\n')]);
    expect(blanked.map(({ bytes }) => bytes).join('')).not.toMatch(/[moring]{2}s|mm|oo|rr|gg/);
  });
});

describe('the form of pytest-reserial', () => {
  test('is written and read', async () => {
    const entries = entriesOf(await record(dialogue, { form: 'reserial' }));
    const ours = entriesOf(await record(dialogue));
    const side = (all: readonly Entry[], from: string) =>
      all
        .filter((one) => one.from === from)
        .map(({ bytes }) => bytes)
        .join('');
    for (const from of ['host', 'module']) expect(side(entries, from)).toBe(side(ours, from));
    expect(JSON.parse(reserialLine('test_a', [{ ms: 0, from: 'host', bytes: 'hi' }]))).toEqual({
      test_a: { rx: '', tx: 'aGk=' },
    });
  });

  test('of several tests the one that is named is read', () => {
    const text = `${JSON.stringify({ a: { rx: 'MQ==', tx: 'YQ==' } })}\n${JSON.stringify({ b: { rx: '2', rx_encoding: 'utf-8', tx: 'b', tx_encoding: 'utf-8' } })}\n`;
    const bytesOf = (name?: string) => unwrap(parseRecording(text, name)).map(({ bytes }) => bytes);
    expect([bytesOf(), bytesOf('a'), bytesOf('b')]).toEqual([
      ['a', '1'],
      ['a', '1'],
      ['b', '2'],
    ]);
  });
});

test.each([
  ['', 'The recording is empty'],
  ['{"recording":1}\n', 'The recording is empty'],
  ['no json', 'Line 1 is no JSON object'],
  ['{"recording":1}\n{"ms":"1","host":"a"}', 'Line 2 is no entry of a recording'],
  ['{"recording":1}\n{"ms":1,"other":"a"}', 'Line 2 is no entry of a recording'],
])('%j is no recording', (text, error) => {
  expect(parseRecording(text)).toEqual({ ok: false, error });
});
