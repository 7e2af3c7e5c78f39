import { success, unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import type { Stream } from '../device/streams.ts';
import { commandRig } from '../testing/command-rig.ts';

const rig = () => commandRig();

/** A connection whose other side is the test. */
function line() {
  let received = '';
  let changed = (): void => {};
  let closed = false;
  const written: string[] = [];
  const stream: Stream = {
    type: 'TCPC',
    info: () => 'host.example.com:8047 (26674)',
    available: () => received.length,
    get remoteClosed() {
      return closed;
    },
    read: (max) => {
      const bytes = Buffer.from(received.slice(0, max));
      received = received.slice(max);
      return bytes;
    },
    write: () =>
      success({
        append: (chunk) => void written.push(Buffer.from(chunk).toString()),
        end: () => success(undefined),
        abort: () => void written.push('broken off'),
      }),
    watch: (listener) => {
      changed = listener;
    },
    close: () => {},
  };
  const arrive = (text: string): void => {
    received += text;
    changed();
  };
  const hangUp = (): void => {
    closed = true;
    changed();
  };
  return { stream, written, arrive, hangUp };
}

describe('stream_list', () => {
  // MOD-CMD-stream_list, MOD-STREAM-list
  test('prints a head line and a row for each stream, or one stream without both', async () => {
    const { run, streams } = await rig();
    expect(await run('stream_list')).toBe('0 ! # Type  Info');
    await run('fop ca_default.pem');
    unwrap(streams.open(line().stream));
    unwrap(streams.open({ ...line().stream, type: 'HTTPS' }));
    expect(await run('list')).toBe(
      [
        '0 ! # Type  Info',
        '# 0 FILE  ca_default.pem-2.0.0.11 (1236, 0)',
        '# 1 TCPC  host.example.com:8047 (26674)',
        '# 2 HTTPS host.example.com:8047 (26674)',
      ].join('\r\n'),
    );
    expect(await run('list 1')).toBe('0 TCPC  host.example.com:8047 (26674)');
  });

  const refusals: readonly (readonly [string, string])[] = [
    ['list 0', 'No such stream|1 Command failed'],
    ['list 8', 'No such stream|1 Command failed'],
    ['list x', '7 Invalid argument'],
    ['list 0 1', '5 Too many arguments'],
  ];
  test.each(refusals)('%s answers %s', async (command, answer) => {
    const { run } = await rig();
    expect(await run(command)).toBe(answer);
  });
});

describe('stream_poll', () => {
  // MOD-CMD-stream_poll, MOD-STREAM-poll-states
  const rows: readonly (readonly [string, string])[] = [
    ['poll 0', '0 0'],
    ['poll 1', '0 1'],
    ['poll 2', '0 2'],
    ['stream_poll 1 -c', '0 1,1,3'],
    ['poll -c 1', '0 1,1,3'],
    ['poll 0 -c', '0 0,0,0'],
    ['poll all', '0 0,0|1,1|2,2'],
    ['poll all -c', '0 0,0,0|1,1,3|2,2,0'],
    ['poll 3', 'No such stream|1 Command failed'],
    ['poll 3 -c', 'No such stream|1 Command failed'],
    ['poll 99', 'No such stream|1 Command failed'],
    ['poll x', '7 Invalid argument'],
    ['poll -1', '7 Invalid argument'],
    ['poll', '4 Too few arguments'],
    ['poll 0 1', '5 Too many arguments'],
    ['poll 0 -x', '6 Unknown variable'],
  ];
  test.each(rows)('%s answers %s', async (command, answer) => {
    const { run, streams, variables } = await rig();
    variables.set('stream.auto_close', false);
    const lines = [line(), line(), line()];
    for (const { stream } of lines) unwrap(streams.open(stream));
    lines[1]?.arrive('abc');
    lines[2]?.hangUp();
    expect(await run(command)).toBe(answer);
  });

  test('all prints None when no stream is open', async () => {
    const { run } = await rig();
    expect(await run('poll all')).toBe('0 None');
    expect(await run('poll all -c')).toBe('0 None');
  });
});

describe('stream_read', () => {
  // MOD-CMD-stream_read
  const refusals: readonly (readonly [string, string])[] = [
    ['read 0 1', 'No such stream|1 Command failed'],
    ['read 70000 1', '7 Invalid argument'],
    ['read x 1', '7 Invalid argument'],
    ['read 0 0', '7 Invalid argument'],
    ['read 0 99998', '7 Invalid argument'],
    ['read 0', '4 Too few arguments'],
    ['read 0 1 1', '5 Too many arguments'],
  ];
  test.each(refusals)('%s answers %s', async (command, answer) => {
    const { run } = await rig();
    expect(await run(command)).toBe(answer);
  });

  test('cannot read a file that is being written', async () => {
    const { run } = await rig();
    await run('fcr -o f 1');
    expect(await run('read 0 1')).toBe('Stream cannot be read|1 Command failed');
  });

  test('answers at once when enough has come', async () => {
    const { run, streams } = await rig();
    const { stream, arrive } = line();
    unwrap(streams.open(stream));
    arrive('abcdef');
    expect(await run('read 0 4')).toBe('0 abcd');
  });

  test('waits for the read timeout and succeeds with what came', async () => {
    // MOD-STREAM-read-timeout
    const { run, streams, clock } = await rig();
    const { stream, arrive } = line();
    unwrap(streams.open(stream));
    const answer = run('read 0 4');
    await clock.advance(60);
    arrive('a');
    await clock.advance(39);
    arrive('b');
    await clock.advance(1);
    expect(await answer).toBe('0 ab');
    expect(clock.pending).toBe(0);
    const nothing = run('read 0 4');
    await clock.advance(100);
    expect(await nothing).toBe('0 ');
  });

  // MOD-VAR-bus.command.read_timeout
  test('waits as long as the variable says', async () => {
    const { run, streams, variables, clock } = await rig();
    const { stream, arrive } = line();
    unwrap(streams.open(stream));
    variables.set('bus.command.read_timeout', 5000);
    const answer = run('read 0 4');
    await clock.advance(4999);
    arrive('late');
    expect(await answer).toBe('0 late');
    const nothing = run('read 0 4');
    await clock.advance(4999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await nothing).toBe('0 ');
  });

  test('stops waiting when the rest has come', async () => {
    const { run, streams, clock } = await rig();
    const { stream, arrive } = line();
    unwrap(streams.open(stream));
    const answer = run('read 0 4');
    await clock.advance(10);
    arrive('ab');
    arrive('cd');
    expect(await answer).toBe('0 abcd');
    expect(clock.pending).toBe(0);
  });

  test('stops waiting when the remote side closes, and the stream is gone with its last byte', async () => {
    // MOD-STREAM-auto-close
    const { run, streams, clock } = await rig();
    const { stream, arrive, hangUp } = line();
    unwrap(streams.open(stream));
    const answer = run('read 0 4');
    await clock.advance(10);
    arrive('ab');
    hangUp();
    expect(await answer).toBe('[Closed: 0]|0 ab');
    expect(await run('poll 0')).toBe('No such stream|1 Command failed');
  });

  test('fails when the stream goes away while it waits', async () => {
    const { run, streams, clock } = await rig();
    const { stream, hangUp } = line();
    unwrap(streams.open(stream));
    const answer = run('read 0 4');
    await clock.advance(10);
    hangUp();
    expect(await answer).toBe('[Closed: 0]|No such stream|1 Command failed');
    expect(clock.pending).toBe(0);
  });
});

describe('stream_write', () => {
  // MOD-CMD-stream_write
  const refusals: readonly (readonly [string, string | undefined, string])[] = [
    ['write 0 3', 'abc', 'No such stream|1 Command failed'],
    ['write x 3', undefined, '7 Invalid argument'],
    ['write 0 0', undefined, '7 Invalid argument'],
    ['write 0', undefined, '4 Too few arguments'],
    ['write 0 1 1', undefined, '5 Too many arguments'],
  ];
  test.each(refusals)('%s with data %j answers %s', async (command, data, answer) => {
    const { run } = await rig();
    expect(await run(command, data)).toBe(answer);
  });

  test('passes its data on', async () => {
    const { run, streams } = await rig();
    const { stream, written } = line();
    unwrap(streams.open(stream));
    expect(await run('write 0 5', 'Hello')).toBe('0 Success');
    expect(written.join('')).toBe('Hello');
  });

  test('fails when its data stops coming', async () => {
    const { run, streams } = await rig();
    const { stream, written } = line();
    unwrap(streams.open(stream));
    expect(await run('write 0 5', 'Hel')).toBe('1 Command failed');
    expect(written).toEqual(['broken off']);
  });

  test('refuses more than a file has left', async () => {
    const { run } = await rig();
    await run('fcr -o f 2');
    expect(await run('write 0 3', 'abc')).toBe('More data than the size of the file|1 Command failed');
    expect(await run('write 0 2', 'ab')).toBe('[Closed: 0]|0 Success');
  });
});

describe('stream_close', () => {
  // MOD-CMD-stream_close
  test('closes one stream or all, with a pair of lines each', async () => {
    const { run, streams } = await rig();
    expect(await run('close all')).toBe('0 Success');
    for (let count = 0; count < 3; count++) unwrap(streams.open(line().stream));
    expect(await run('stream_close 1')).toBe('Closing: 1|[Closed: 1]|0 Success');
    expect(await run('close all')).toBe('Closing: 0|[Closed: 0]|Closing: 2|[Closed: 2]|0 Success');
    expect(await run('list')).toBe('0 ! # Type  Info');
  });

  const refusals: readonly (readonly [string, string])[] = [
    ['close 0', 'No such stream|1 Command failed'],
    ['close 100', 'No such stream|1 Command failed'],
    ['close ALL', '7 Invalid argument'],
    ['close', '4 Too few arguments'],
    ['close 0 1', '5 Too many arguments'],
  ];
  test.each(refusals)('%s answers %s', async (command, answer) => {
    const { run } = await rig();
    expect(await run(command)).toBe(answer);
  });
});
