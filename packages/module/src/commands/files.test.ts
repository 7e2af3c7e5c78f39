import { ignoreFailure, unwrap } from '@moorage/base';
import { storePem } from '@moorage/device/identity';
import { describe, expect, test } from 'vitest';
import { FlashFiles } from '../cloud/flash-files.ts';
import { defaultFlashLayout } from '../device/flash.ts';
import { unattended } from '../interpreter/command.ts';
import { prepare } from '../interpreter/prepare.ts';
import { commandRig } from '../testing/command-rig.ts';
import { testMac } from '../testing/radio-rig.ts';

const rig = () => commandRig();

describe('file_create', () => {
  // MOD-CMD-file_create and its options
  interface CreateCase {
    readonly line: string;
    readonly data?: string;
    readonly answer: string;
    readonly stat?: string;
  }
  const rows: readonly CreateCase[] = [
    { line: 'file_create f 12', answer: '0 File created', stat: '12,222F,1.0.0.0,e,FE,0021' },
    { line: 'fcr f 12', answer: '0 File created', stat: '12,222F,1.0.0.0,e,FE,0021' },
    // MOD-OPT-file_create-e, MOD-FILE-essential
    { line: 'fcr -e f 12', answer: '0 File created', stat: '12,222F,1.0.0.0,e,FE,0061' },
    // MOD-OPT-file_create-u, MOD-FILE-unprotected
    { line: 'fcr -u f 12', answer: '0 File created', stat: '12,222F,1.0.0.0,e,FE,0121' },
    // MOD-OPT-file_create-eu
    { line: 'fcr -eu f 12', answer: '0 File created', stat: '12,222F,1.0.0.0,e,FE,0161' },
    { line: 'fcr -ue f 12', answer: '0 File created', stat: '12,222F,1.0.0.0,e,FE,0161' },
    // MOD-OPT-file_create-version, MOD-FILE-version-parts
    { line: 'fcr f 12 1.2', answer: '0 File created', stat: '12,222F,1.2.0.0,e,FE,0021' },
    { line: 'fcr f 12 31.63.8191.255', answer: '0 File created', stat: '12,222F,31.63.8191.255,e,FE,0021' },
    // MOD-OPT-file_create-type
    { line: 'fcr f 12 2.0.0 96', answer: '0 File created', stat: '12,222F,2.0.0.0,e,96,0021' },
    { line: 'fcr f 12 2.0.0 0x3', answer: '0 File created', stat: '12,222F,2.0.0.0,e,03,0021' },
    // MOD-OPT-file_create-crc
    { line: 'fcr f 12 1.0.0 FE 222F', answer: '0 File created', stat: '12,222F,1.0.0.0,e,FE,0021' },
    { line: 'fcr f 12 1.0.0 FE 0x222f', answer: '0 File created', stat: '12,222F,1.0.0.0,e,FE,0021' },
    { line: 'fcr "f" 12', answer: '0 File created', stat: '12,222F,1.0.0.0,e,FE,0021' },
    { line: 'fcr f 12 1.0.0 FE 882A', answer: 'File CRC mismatch|1 Command failed' },
    { line: 'fcr f 12 1.0.0 FE 0', answer: 'File CRC mismatch|1 Command failed' },
    { line: 'fcr f 13', answer: '1 Command failed' },
    // MOD-FILE-types
    { line: 'fcr f 12 1.0.0 00', answer: 'File protected|1 Command failed' },
    { line: 'fcr f 12 1.0.0 1', answer: 'File protected|1 Command failed' },
    { line: 'fcr f 12 1.0.0 80', answer: 'File protected|1 Command failed' },
    { line: 'fcr f 12 1.0.0 81', answer: 'File protected|1 Command failed' },
    { line: 'fcr', answer: '4 Too few arguments' },
    { line: 'fcr f', answer: '4 Too few arguments' },
    { line: 'fcr -o f', answer: '4 Too few arguments' },
    { line: 'fcr f 12 1 FE 0 x', answer: '5 Too many arguments' },
    { line: 'fcr -x f 12', answer: '6 Unknown variable' },
    { line: 'fcr -eo f 12', answer: '6 Unknown variable' },
    { line: 'fcr -ee f 12', answer: '7 Invalid argument' },
    // MOD-OPT-file_create-size
    { line: 'fcr f 0', answer: '7 Invalid argument' },
    { line: 'fcr f -1', answer: '7 Invalid argument' },
    { line: 'fcr f x', answer: '7 Invalid argument' },
    { line: 'fcr f 12 1.0.0.0.0', answer: '7 Invalid argument' },
    { line: 'fcr f 12 32', answer: '7 Invalid argument' },
    { line: 'fcr f 12 1.64', answer: '7 Invalid argument' },
    { line: 'fcr f 12 1.0.8192', answer: '7 Invalid argument' },
    { line: 'fcr f 12 1.0.0.256', answer: '7 Invalid argument' },
    { line: 'fcr f 12 1.0.0 100', answer: '7 Invalid argument' },
    { line: 'fcr f 12 1.0.0 GG', answer: '7 Invalid argument' },
    { line: 'fcr f 12 1.0.0 FE 10000', answer: '7 Invalid argument' },
    // MOD-OPT-file_create-filename, MOD-FILE-limits
    { line: `fcr ${'n'.repeat(96)} 12`, answer: '7 Invalid argument' },
    { line: 'fcr "" 12', answer: '7 Invalid argument' },
    { line: 'fcr ä 12', answer: '7 Invalid argument' },
  ];
  test.each(rows)('$line answers $answer', async ({ line, data = 'Hello World!', answer, stat }) => {
    const { run } = await rig();
    expect(await run(line, data)).toBe(answer);
    expect(await run('fst f')).toBe(stat ? `0 ${stat}` : 'File not found|1 Command failed');
  });

  test('takes names with spaces and slashes, up to 95 characters', async () => {
    const { run } = await rig();
    for (const name of ['webapp/my page.html', 'n'.repeat(95), 'folder/']) {
      expect(await run(`fcr "${name}" 1`, 'x')).toBe('0 File created');
      expect(await run(`fst "${name}"`)).toMatch(/^0 1,/);
    }
  });

  test.each(['fcr -o f 5', 'fcr f 5'])('%s fails for a name that exists', async (line) => {
    const { run } = await rig();
    await run('fcr f 5', 'first');
    expect(await run(line, 'other')).toBe('File exists|1 Command failed');
    expect(await run('fop f')).toBe('0 0');
    expect(await run('read 0 5')).toBe('[Closed: 0]|0 first');
  });

  test('fails when no free run is long enough', async () => {
    const { run } = await rig();
    expect(await run('fcr f 1048577', new Uint8Array(1_048_577))).toBe('Not enough space|1 Command failed');
    expect(await run('fcr -o f 134217728')).toBe('Not enough space|1 Command failed');
    expect(await run('fcr f 134217729')).toBe('7 Invalid argument');
  });

  // 16 units of extended flash, of which the files of the rig have 4, and 20 of bulk flash.
  const smallLayout = { ...defaultFlashLayout, areaBytes: { i: 65_536, e: 65_536, b: 81_920 } };
  const sizes: readonly { readonly line: string; readonly answer: string; readonly area?: string }[] = [
    { line: 'fcr f 49152', answer: '0 File created', area: 'e' },
    { line: 'fcr f 49153', answer: '0 File created', area: 'b' },
    { line: 'fcr f 81920', answer: '0 File created', area: 'b' },
    { line: 'fcr f 81921', answer: 'Not enough space|1 Command failed' },
  ];
  test.each(sizes)('$line with bulk flash answers $answer', async ({ line, answer, area }) => {
    const { run, flash } = await commandRig(smallLayout);
    const size = Number(line.split(' ')[2]);
    expect(await run(line, new Uint8Array(size))).toBe(answer);
    expect(flash.stat('f')?.area).toBe(area);
    if (area) await run('fde f');
    // A stream of its own: the same place.
    expect(await run(line.replace('fcr', 'fcr -o'))).toBe(area ? '0 0' : answer);
  });

  test('goes nowhere but into extended flash while the bulk flash is not connected', async () => {
    const { run, flash } = await commandRig(smallLayout);
    flash.connectBulk(false);
    expect(await run('fcr f 49153', new Uint8Array(49_153))).toBe('Not enough space|1 Command failed');
  });

  test('of what can never fit takes no data, of what does not fit now takes it', async () => {
    const { board, registry } = await commandRig(smallLayout);
    const ask = async (line: string) => {
      const prepared = prepare(board, registry, line, unattended('serial'));
      return prepared.kind === 'prepared' ? await prepared.run() : prepared;
    };
    // The first reserves the room of the second.
    expect(await ask('fcr f 81920')).toMatchObject({ kind: 'data', size: 81_920 });
    expect(await ask('fcr g 81920')).toMatchObject({ kind: 'data', size: 81_920 });
    expect(await ask('fcr wifi_fw.bin 81921')).toMatchObject({ code: 1 });
    expect(await ask('fcr h 81921')).toMatchObject({ code: 1 });
  });

  test('fails when the area has its 100 files', async () => {
    const { run } = await rig();
    for (let at = 2; at < 100; at++) expect(await run(`fcr f${at} 1`, 'x')).toBe('0 File created');
    expect(await run('fcr f100 1', 'x')).toBe('Too many files|1 Command failed');
  });

  test.each(['fcr -o -eu f 12 1.4.0.24', 'fcr -eu -o f 12 1.4.0.24'])('%s is written in chunks', async (line) => {
    // MOD-OPT-file_create-o, MOD-STATE-5
    const { run } = await rig();
    expect(await run(line)).toBe('0 0');
    expect(await run('list')).toBe('0 ! # Type  Info\r\n# 0 FILE  f-1.4.0.24 (12, 0)');
    expect(await run('write 0 6', 'Hello ')).toBe('0 Success');
    expect(await run('list 0')).toBe('0 FILE  f-1.4.0.24 (12, 6)');
    expect(await run('fst f')).toBe('File not found|1 Command failed');
    expect(await run('write 0 6', 'World!')).toBe('[Closed: 0]|0 Success');
    expect(await run('fst f')).toBe('0 12,222F,1.4.0.24,e,FE,0161');
    expect(await run('list')).toBe('0 ! # Type  Info');
  });

  test('-o with a wrong CRC fails at the last write', async () => {
    const { run } = await rig();
    expect(await run('fcr -o f 2 1.0.0 FE 1234')).toBe('0 0');
    expect(await run('write 0 1', 'a')).toBe('0 Success');
    expect(await run('write 0 1', 'b')).toBe('[Closed: 0]|File CRC mismatch|1 Command failed');
    expect(await run('fst f')).toBe('File not found|1 Command failed');
  });

  test('-o closed early loses the data', async () => {
    // MOD-STATE-6
    const { run } = await rig();
    await run('fcr -o f 2');
    await run('write 0 1', 'a');
    expect(await run('close 0')).toBe('Closing: 0|[Closed: 0]|0 Success');
    expect(await run('fst f')).toBe('File not found|1 Command failed');
    expect(await run('fcr f 1', 'x')).toBe('0 File created');
  });

  test('-o fails without a free handle, and leaves the name free', async () => {
    const { run } = await rig();
    for (let handle = 0; handle < 8; handle++) expect(await run(`fcr -o f${handle} 1`)).toBe(`0 ${handle}`);
    expect(await run('fcr -o f8 1')).toBe('No free stream|1 Command failed');
    expect(await run('fop ca_default.pem')).toBe('No free stream|1 Command failed');
    expect(await run('fcr f8 1', 'x')).toBe('0 File created');
  });
});

describe('file_delete', () => {
  // MOD-CMD-file_delete, MOD-OPT-file_delete-filename
  const rows: readonly (readonly [string, string])[] = [
    ['file_delete ca_default.pem', 'File deleted|0 Success'],
    ['fde f', 'File deleted|0 Success'],
    ['fde nothing', 'File not found|1 Command failed'],
    ['fde main_app.exe', 'File protected|1 Command failed'],
    ['fde wifi_fw.bin', 'File protected|1 Command failed'],
    ['fde', '4 Too few arguments'],
    ['fde a b', '5 Too many arguments'],
  ];
  test.each(rows)('%s answers %s', async (line, answer) => {
    const { run } = await rig();
    await run('fcr -e f 1', 'x');
    expect(await run(line)).toBe(answer);
  });

  test('lets the name be created again', async () => {
    const { run } = await rig();
    await run('fcr f 1', 'x');
    await run('fde f');
    expect(await run('fcr f 2', 'yz')).toBe('0 File created');
  });
});

describe('file_open and file_stat', () => {
  // MOD-CMD-file_stat, MOD-OPT-file_stat-filename, MOD-OPT-file_open-filename
  const rows: readonly (readonly [string, string])[] = [
    ['fop nothing', 'File not found|1 Command failed'],
    ['fop', '4 Too few arguments'],
    ['fop a b', '5 Too many arguments'],
    ['fst nothing', 'File not found|1 Command failed'],
    ['fst', '4 Too few arguments'],
    ['file_stat main_app.exe', '0 4,776E,2.2.0.12,i,81,001B'],
  ];
  test.each(rows)('%s answers %s', async (line, answer) => {
    const { run } = await rig();
    expect(await run(line)).toBe(answer);
  });

  test('file_open reads a file and closes at its end', async () => {
    // MOD-CMD-file_open, MOD-STREAM-FILE
    const { run } = await rig();
    await run('fcr f 5', 'Hello');
    expect(await run('file_open f')).toBe('0 0');
    expect(await run('list 0')).toBe('0 FILE  f-1.0.0.0 (5, 0)');
    expect(await run('poll 0')).toBe('0 1');
    expect(await run('read 0 3')).toBe('0 Hel');
    expect(await run('poll 0 -c')).toBe('0 0,1,2');
    expect(await run('write 0 1', 'x')).toBe('Stream cannot be written|1 Command failed');
    expect(await run('read 0 3')).toBe('[Closed: 0]|0 lo');
    expect(await run('read 0 3')).toBe('No such stream|1 Command failed');
    expect(await run('close 0')).toBe('No such stream|1 Command failed');
  });
});

test('file_open never opens the module’s own private key, but a user’s file of that name', async () => {
  const { run, flash } = await rig();
  await run('fcr device.key 4', 'mine');
  expect(await run('fop device.key')).toBe('0 0');
  await run('close 0');
  const key = Buffer.from('-----BEGIN PRIVATE KEY-----');
  for (const name of ['device.key', 'renewed.key']) {
    // There is none of the second name.
    ignoreFailure(await flash.remove(name));
    await storePem(new FlashFiles(flash), name, key.toString());
    expect(await run(`fop ${name}`)).toBe('File protected|1 Command failed');
    expect(await run(`fst ${name}`)).toMatch(/^0 27,/);
  }
  expect(await run('list')).toBe('0 ! # Type  Info');
});

test.each(['deleted', 'replaced'])(
  'reading a stream whose file was %s is an error, whatever was read before',
  async (how) => {
    const { run, variables } = await rig();
    variables.set('stream.auto_close', false);
    await run('fcr f 4', 'abcd');
    await run('fop f');
    expect(await run('read 0 3')).toBe('0 abc');
    await run('fde f');
    if (how === 'replaced') await run('fcr f 4', 'efgh');
    expect(await run('poll 0 -c')).toBe('0 0,2,0');
    for (let time = 0; time < 2; time++) expect(await run('read 0 1')).toBe('File not found|1 Command failed');
    expect(await run('close 0')).toBe('Closing: 0|[Closed: 0]|0 Success');
  },
);

describe('ls', () => {
  // MOD-CMD-ls, MOD-FILE-listing
  const head = '!  #   Size   Version  Filename';
  const verboseHead = '!  # Type  Flags  Hnd    Size    Version  Filename';
  const pem = (at: number) => `#  ${at}   1236     2.0.0  ca_default.pem`;
  const user = (at: number) => `#  ${at}      5     1.0.0  hello.txt`;
  const program = (at: number) => `#  ${at}      4     2.2.0  main_app.exe`;
  const radio = (at: number) => `#  ${at}   9000  5.26.230  wifi_fw.bin`;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['ls', [head, pem(0), user(1), program(2), radio(3)]],
    ['ls -i', [head, program(0)]],
    ['ls -e', [head, pem(0), user(1), radio(2)]],
    ['ls -b', [head]],
    ['ls -i -b', [head, program(0)]],
    ['ls hello', [head, user(0)]],
    ['ls *.bin', [head, radio(0)]],
    ['ls -e h*', [head, user(0)]],
    ['ls nothing', [head]],
    [
      'ls -v',
      [
        verboseHead,
        '#  0 e-03   0001    3    1236   2.0.0.11  ca_default.pem',
        '#  1 e-FE   0021    4       5    1.0.0.0  hello.txt',
        '#  2 i-81   001B    0       4   2.2.0.12  main_app.exe',
        '#  3 e-01   0009    0    9000 5.26.230.12  wifi_fw.bin',
      ],
    ],
  ];
  test.each(rows)('%s', async (line, expected) => {
    const { run } = await rig();
    await run('fcr hello.txt 5', 'Hello');
    expect(await run(line)).toBe(`0 ${expected.join('\r\n')}`);
  });

  const refusals: readonly (readonly [string, string])[] = [
    ['ls -x', '6 Unknown variable'],
    ['ls a b', '5 Too many arguments'],
  ];
  test.each(refusals)('%s answers %s', async (line, answer) => {
    const { run } = await rig();
    expect(await run(line)).toBe(answer);
  });

  test('is kept in a CMD stream when output is buffered', async () => {
    // MOD-STREAM-CMD
    const { run, variables } = await rig();
    variables.set('system.cmd.buffered', true);
    expect(await run('ls -b')).toBe('0 0,33');
    expect(await run('read 0 100')).toBe(`0 ${head}\r\n`);
  });
});

describe('format_flash', () => {
  // MOD-CMD-format_flash, MOD-OPT-format_flash-bulk, MOD-OPT-format_flash-extended, MOD-OPT-format_flash-mac
  const rows: readonly (readonly [string, string])[] = [
    [`format extended ${testMac}`, '0 Success'],
    [`format bulk ${testMac}`, 'No bulk flash|1 Command failed'],
    ['format extended 00:00:00:00:00:00', '7 Invalid argument'],
    [`format extended ${testMac.toLowerCase()}`, '0 Success'],
    [`format internal ${testMac}`, '7 Invalid argument'],
    ['format extended', '4 Too few arguments'],
    [`format extended ${testMac} x`, '5 Too many arguments'],
  ];
  test.each(rows)('%s answers %s', async (line, answer) => {
    const { run, flash } = await rig();
    await run('fcr f 1', 'x');
    expect(await run(line)).toBe(answer);
    const left = answer === '0 Success' ? 2 : 4;
    expect(flash.list()).toHaveLength(left);
    expect(flash.stat('wifi_fw.bin')).toBeDefined();
  });

  test('erases bulk flash where there is one', async () => {
    const layout = { ...defaultFlashLayout, areaBytes: { ...defaultFlashLayout.areaBytes, b: 65_536 } };
    const { run, flash } = await commandRig(layout);
    const writer = await flash.create({
      name: 'p',
      size: 0,
      version: [1, 0, 0, 0],
      type: 0xfe,
      flags: 0x20,
      area: 'b',
    });
    if (writer.ok) unwrap(await writer.value.finish());
    expect(await run('ls -b')).toContain('p');
    expect(await run(`format_flash bulk ${testMac}`)).toBe('0 Success');
    expect(flash.list()).toHaveLength(3);
  });

  test('ends the reading of a file that is gone', async () => {
    const { run } = await rig();
    await run('fcr f 2', 'xy');
    await run('fop f');
    await run(`format extended ${testMac}`);
    expect(await run('poll 0')).toBe('0 2');
    expect(await run('read 0 2')).toBe('[Closed: 0]|File not found|1 Command failed');
  });
});
