import { expect, test } from 'vitest';
import { sessionRig as rig } from '../testing/session-rig.ts';
import { maxWaitingBytes } from './session-output.ts';
import { askTimeoutMs } from './task-runner.ts';

// Spec: MOD-ERR-9 by the command bounds.
test('Session answers a synchronous command in one write, log lines included', async () => {
  const { module, send, writes } = await rig({ machine: false });
  await module.execute('set system.cmd.header_enabled 1');
  expect(send('says\r')).toBe(true);
  expect(writes).toHaveLength(1);
  expect(writes[0]).toBe('says\r\nL000005\r\nwhy\r\nR100016\r\nCommand failed\r\n> ');
});

test('Session pauses its sender while an asynchronous command runs and then goes on with what waits', async () => {
  const { send, printed, events, gate, settle } = await rig();
  expect(send('slow\nget system.safemode\n')).toBe(false);
  expect(send('bounds\n')).toBe(false);
  expect(printed()).toBe('');
  gate.resolve();
  await settle();
  expect(printed()).toBe('R000011\r\nslow done\r\nR000003\r\n0\r\nR900014\r\nBounds error\r\n');
  expect(events).toEqual(['ready']);
});

test('Sessions of one board run their commands one at a time', async () => {
  const { send, connect, printed, gate, settle } = await rig();
  send('slow\n');
  const other = connect();
  expect(other.receive(Buffer.from('get system.safemode\n'))).toBe(false);
  await settle();
  expect(printed()).toBe('');
  gate.resolve();
  await settle();
  expect(printed()).toContain('R000003\r\n0\r\n');
});

test('Session prints the log of the board on every attached connection, and on none that has closed', async () => {
  const { module, session, connect, writes } = await rig({ machine: false });
  const other = connect();
  module.log.line('Associated');
  expect(writes).toEqual(['Associated\r\n', 'Associated\r\n']);
  other.close();
  session.close();
  module.log.line('Associated');
  expect(writes).toHaveLength(2);
});

test('Session stops reading while its reader is slow, and drops log lines beyond the limit', async () => {
  let slow = true;
  const { module, session, send, writes, events } = await rig({ takes: () => !slow });
  await module.execute('set system.print_level all');
  expect(send('big\nbig\nbig\nget system.safemode\n')).toBe(false);
  expect(writes).toHaveLength(1);
  for (let count = 0; count < 2 * maxWaitingBytes; count += 1_000) module.log.line('x'.repeat(1_000));
  const waiting = writes.slice(1).join('').length;
  expect(waiting).toBeGreaterThan(maxWaitingBytes - 2_000);
  expect(waiting).toBeLessThan(maxWaitingBytes + 2_000);
  slow = false;
  session.drained();
  expect(writes.at(-1)).toBe('R000003\r\n0\r\n');
  expect(events).toEqual(['ready']);
});

test('Session takes exactly the announced data and leaves the rest for the next line', async () => {
  const { send, printed, events } = await rig();
  send('data\r\nabcdget system.safemode\r\n');
  expect(printed()).toBe('R000007\r\ntaken\r\nR000003\r\n0\r\n');
  expect(events).toEqual(['write abcd']);
  send('nodata\r\nbounds\r\n');
  expect(printed()).toBe('R000006\r\nnone\r\nR900014\r\nBounds error\r\n');
});

test('Session waits for a slow sink before it takes more data', async () => {
  const { send, printed, gate, settle } = await rig();
  expect(send('slowdata\nab')).toBe(false);
  send('cd');
  await settle();
  expect(printed()).toBe('');
  gate.resolve();
  await settle();
  expect(printed()).toBe('R000007\r\ntaken\r\n');
});

test('Session takes all announced data even when the sink fails', async () => {
  const { send, printed, events, mistakes, settle } = await rig();
  send('baddata\nab');
  send('cdbounds\n');
  await settle();
  expect(printed()).toBe('R100016\r\nCommand failed\r\nR900014\r\nBounds error\r\n');
  expect(events).toContain('abort');
  expect(mistakes).toHaveLength(1);
});

// Spec: MOD-VAR-bus.command.write_timeout.
test('Session gives up data after a silence', async () => {
  const { send, printed, events, clock } = await rig();
  send('data\na');
  await clock.advance(24_999);
  expect(printed()).toBe('');
  await clock.advance(1);
  expect(printed()).toBe('R100016\r\nCommand failed\r\n');
  expect(events).toEqual(['write a', 'abort', 'ready']);
  send('bounds\n');
  expect(printed()).toBe('R900014\r\nBounds error\r\n');
  expect(clock.pending).toBe(0);
});

test('Session gives up data that comes slower than the least rate, beyond one silence', async () => {
  const { send, printed, clock } = await rig();
  send('data\na');
  await clock.advance(24_000);
  send('b');
  // 25 s, and 2 ms for each byte that has come.
  await clock.advance(1_003);
  expect(printed()).toBe('');
  await clock.advance(1);
  expect(printed()).toBe('R100016\r\nCommand failed\r\n');
});

test('Session answers everything received before the end of input, then ends', async () => {
  const { session, send, printed, events, gate, settle } = await rig();
  send('slow\nbounds\nunfinished');
  session.end();
  expect(events).toEqual([]);
  gate.resolve();
  await settle();
  expect(printed()).toBe('R000011\r\nslow done\r\nR900014\r\nBounds error\r\n');
  expect(events).toEqual(['ended']);
  expect(send('bounds\n')).toBe(true);
  expect(printed()).toBe('');
});

test('Session fails data that the end of input cuts off, then ends', async () => {
  const { session, send, printed, events, settle } = await rig();
  send('data\nab');
  session.end();
  await settle();
  expect(printed()).toBe('R100016\r\nCommand failed\r\n');
  expect(events.slice(-2)).toEqual(['abort', 'ended']);
});

test('Session leaves nothing behind when it is closed in the middle of data', async () => {
  const { session, send, printed, events, clock } = await rig();
  send('data\nab');
  session.close();
  session.close();
  await clock.advance(60_000);
  expect(printed()).toBe('');
  expect(events).toEqual(['write ab', 'abort']);
  expect(clock.pending).toBe(0);
});

test('Session closed while a command runs lets it finish in silence', async () => {
  const { session, connect, send, printed, gate, settle } = await rig();
  send('slow\n');
  session.close();
  gate.resolve();
  await settle();
  connect().receive(Buffer.from('bounds\n'));
  expect(printed()).toBe('R900014\r\nBounds error\r\n');
});

test('Session aborts a slow sink when it is closed meanwhile', async () => {
  const { session, send, events, gate, settle } = await rig();
  send('slowdata\nab');
  session.close();
  gate.resolve();
  await settle();
  expect(events).toEqual(['abort']);
});

test('Session that stood down while a slow sink was written takes commands again afterwards', async () => {
  const { session, send, printed, events, gate, settle } = await rig();
  send('slowdata\nab');
  session.standDown();
  gate.resolve();
  await settle();
  expect(events).toEqual(['ready', 'abort']);
  session.takeOver();
  send('bounds\n');
  expect(printed()).toBe('R900014\r\nBounds error\r\n');
});

test('Session takes the next line as a command when the last one did not wait for its answer', async () => {
  const { send, printed, settle } = await rig({ machine: false });
  send('rude\r');
  await settle();
  expect(printed()).toBe('rude\r\nName: left\r\n> ');
  send('bounds\r');
  expect(printed()).toBe('bounds\r\nBounds error\r\n> ');
});

test.each([
  ['throws\n', 'thrown'],
  ['rejects\n', 'rejected'],
  ['badend\nabcd', 'end'],
])('Session survives the mistake in %j and reports it', async (sent, message) => {
  const { send, printed, mistakes, settle } = await rig();
  send(sent);
  await settle();
  expect(printed()).toBe('R100016\r\nCommand failed\r\n');
  expect(mistakes).toEqual([new Error(message)]);
  send('bounds\n');
  expect(printed()).toBe('R900014\r\nBounds error\r\n');
});

test('Session prints a response before the work that follows it, and the prompt after', async () => {
  const { send, printed, events, gate, settle } = await rig({ machine: false });
  expect(send('later\r')).toBe(false);
  expect(printed()).toBe('later\r\nfirst\r\n');
  gate.resolve();
  await settle();
  expect(printed()).toBe('> ');
  expect(events).toEqual(['after', 'ready']);
});

test('Session prints nothing for a command that stays silent', async () => {
  const { send, printed } = await rig({ machine: false });
  send('quiet\r');
  expect(printed()).toBe('quiet\r\n');
});

test('Session asks a person and hands the answer to the command', async () => {
  const { send, printed, settle } = await rig({ machine: false });
  send('asks\r');
  await settle();
  expect(printed()).toBe('asks\r\nName: ');
  send('my net\r');
  await settle();
  expect(printed()).toBe('my net\r\ngot "my net"\r\n> ');
  // The answer is not in the history.
  send('\x1b[A');
  expect(printed()).toBe('asks');
});

test('Session hands over an answer that was typed ahead', async () => {
  const { send, printed, settle } = await rig({ machine: false });
  send('asks\rhome\rbounds\r');
  await settle();
  expect(printed()).toBe('asks\r\nName: home\r\ngot "home"\r\n> bounds\r\nBounds error\r\n> ');
});

test('Session has no answer for a command when there are headers, the input has ended, or no line is typed', async () => {
  const machine = await rig();
  machine.send('asks\n');
  await machine.settle();
  expect(machine.printed()).toBe('R000010\r\ngot null\r\n');

  const ended = await rig({ machine: false });
  ended.send('asks\r');
  ended.session.end();
  await ended.settle();
  expect(ended.printed()).toBe('asks\r\nName: got null\r\n> ');
  expect(ended.events).toContain('ended');

  const silent = await rig({ machine: false });
  silent.send('asks\r');
  await silent.clock.advance(askTimeoutMs);
  expect(silent.printed()).toBe('asks\r\nName: got null\r\n> ');
});

test('Session keeps a table in a CMD stream when buffering is on, and fails when no handle is free', async () => {
  const { module, send, printed } = await rig();
  await module.execute('set system.cmd.buffered on');
  for (let handle = 0; handle < module.model.limits.streams; handle++) {
    send('table\n');
    expect(printed()).toBe(`R000005\r\n${handle},6\r\n`);
  }
  await module.execute('set system.print_level all');
  send('table\n');
  expect(printed()).toBe('L000016\r\nNo free stream\r\nR100016\r\nCommand failed\r\n');
  expect(module.streams.list()[0]?.stream.info()).toBe('table');
});
