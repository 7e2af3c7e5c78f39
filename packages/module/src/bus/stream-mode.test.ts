import { unwrap } from '@moorage/base';
import { expect, test } from 'vitest';
import { loadPersonality } from '../personality/personality.ts';
import { busRig, PeerStream, streaming } from '../testing/bus-rig.ts';

const slowBoot = unwrap(loadPersonality('{"timings":{"bootMs":500}}'));

const possible = 'http.server.enabled 1';

// MOD-VAR-bus.mode
test('stream mode begins with the boot: no prompt, and bytes go both ways', async () => {
  const { attach, restart, connect, pass } = await busRig();
  const host = attach();
  await restart('bus.mode stream');
  expect(host.received()).toMatch(/Moorage-.*\r\n\[Ready\]\r\n$/);
  const peer = new PeerStream();
  connect(peer);
  expect(host.received()).toBe('[Opened: 0]\r\n');
  host.type('up');
  await pass(10);
  expect(peer.sent()).toBe('up');
  peer.send('down');
  await pass(0);
  expect(host.received()).toBe('down');
});

// MOD-VAR-bus.mode, MOD-SET-apply
test('bus.mode acts at the next boot, not before', async () => {
  const { attach, connect, pass, run } = await busRig();
  const host = attach();
  connect(new PeerStream());
  await run('set bus.mode stream');
  host.received();
  host.type('get bus.mode\r');
  await pass(0);
  expect(host.received()).toBe('get bus.mode\r\nstream\r\n> ');
});

// MOD-BUS-no-stream
test('stream mode drops serial bytes without a stream, and those are not sent later', async () => {
  const { attach, restart, connect, pass } = await busRig();
  const host = attach();
  await restart('bus.mode stream');
  host.type('lost');
  await pass(20);
  const peer = new PeerStream();
  connect(peer);
  host.type('kept');
  await pass(20);
  expect(peer.sent()).toBe('kept');
});

// MOD-BUS-first
test('stream mode takes the first stream that was opened, and the next when that has gone', async () => {
  const { host, peer, connect, pass } = await streaming();
  const second = new PeerStream('TCPS');
  for (const type of ['FILE', 'CMD', 'HTTP', 'HTTPS', 'CLOUD'] as const) connect(new PeerStream(type));
  connect(second);
  host.received();
  second.send('waits');
  host.type('one');
  await pass(10);
  expect([peer.sent(), second.sent(), host.received()]).toEqual(['one', '', '']);
  peer.send('last');
  peer.end();
  await pass(0);
  expect(host.received()).toBe('[Closed: 0]\r\nlastwaits');
  host.type('two');
  await pass(10);
  expect([peer.sent(), second.sent()]).toEqual(['', 'two']);
});

test('stream mode takes a stream that was opened first although its handle is higher', async () => {
  const { module, host, connect, pass } = await streaming();
  const second = new PeerStream('UDPC');
  connect(second);
  unwrap(await module.streams.close(0));
  const third = new PeerStream('WEBS');
  expect(connect(third)).toBe(0);
  host.received();
  host.type('x');
  await pass(10);
  expect([second.sent(), third.sent()]).toEqual(['x', '']);
});

// MOD-STATE-1, MOD-STATE-2, MOD-VAR-bus.stream.cmd_seq
test('the break sequence gives a command line, and exit goes back', async () => {
  const { host, peer, pass } = await streaming();
  host.type('$$$');
  await pass(0);
  expect(host.received()).toBe('[Command Mode Start]\r\n> ');
  peer.send('waits');
  host.type('get bus.mode\r\n');
  await pass(0);
  expect(host.received()).toBe('get bus.mode\r\nstream\r\n> ');
  host.type('exit\r\nafter');
  await pass(10);
  expect(host.received()).toBe('exit\r\n[Command Mode Stop]\r\nwaits');
  expect(peer.sent()).toBe('after');
});

test.each(['\r\n', '\r', '\n', '\n\r'])('exit before %j sends on only what stands behind the line', async (end) => {
  for (const whole of [true, false]) {
    const { host, peer, pass } = await streaming();
    const text = `exit${end}after`;
    host.type('$$$');
    await pass(0);
    if (whole) host.type(text);
    else for (const byte of text) host.type(byte);
    await pass(10);
    // LF CR is hardly used, so only CR LF is one line end for sure.
    expect(peer.sent()).toBe(end === '\n\r' ? '\rafter' : 'after');
  }
});

// MOD-STATE-1
test.each(['\r\n', '\r', '\n', ''])('a line end %j behind the break sequence is no empty line', async (end) => {
  for (const whole of [true, false]) {
    const { host, pass } = await streaming('system.cmd.mode machine');
    const text = `$$$${end}get bus.mode\n`;
    if (whole) host.type(text);
    else for (const byte of text) host.type(byte);
    await pass(0);
    expect(host.received()).toBe('R000008\r\nstream\r\n');
  }
});

test('an empty line some time after the break sequence is one', async () => {
  const { host, pass } = await streaming();
  host.type('$$$');
  await pass(500);
  host.received();
  host.type('\r\n');
  await pass(0);
  expect(host.received()).toBe('\r\n> ');
});

// MOD-BUS-silence
test('the break sequence counts only after 3 s of silence, and a wrong one is data', async () => {
  const { host, peer, pass } = await streaming();
  host.type('x');
  await pass(2_999);
  host.type('$$$');
  await pass(3_000);
  expect([host.received(), peer.sent()]).toEqual(['', 'x$$$']);
  host.type('$$%');
  await pass(2_999);
  host.type('$$$');
  await pass(10);
  expect([host.received(), peer.sent()]).toEqual(['', '$$%$$$']);
  await pass(3_000);
  host.type('$$$');
  await pass(0);
  expect([host.received(), peer.sent()]).toEqual(['[Command Mode Start]\r\n> ', '']);
});

// MOD-BUS-held
test('the characters of the break sequence may be 3 s apart; then they are data', async () => {
  const { host, peer, pass } = await streaming();
  host.type('$');
  await pass(2_000);
  host.type('$');
  await pass(2_999);
  host.type('$');
  await pass(0);
  expect([host.received(), peer.sent()]).toEqual(['[Command Mode Start]\r\n> ', '']);
  host.type('exit\r');
  await pass(3_000);
  host.received();
  host.type('$$');
  await pass(2_999);
  expect(peer.sent()).toBe('');
  await pass(11);
  expect([host.received(), peer.sent()]).toEqual(['', '$$']);
});

test('an empty bus.stream.cmd_seq breaks in never; another one acts at once', async () => {
  const { host, peer, pass, run } = await streaming();
  await run('set bus.stream.cmd_seq ""');
  host.type('$$$');
  await pass(3_000);
  expect([host.received(), peer.sent()]).toEqual(['', '$$$']);
  await run('set bus.stream.cmd_seq "+++AT"');
  host.type('+++AT');
  await pass(0);
  expect(host.received()).toBe('[Command Mode Start]\r\n> ');
});

// MOD-VAR-bus.stream.cmd_gpio, MOD-STATE-1
test('the command pin forces command mode, exit fails, and its release leads back', async () => {
  const { host, peer, module, pass } = await streaming('bus.stream.cmd_gpio 7', possible);
  module.pins.drive(7, 1);
  expect(host.received()).toBe('[Command Mode Start]\r\n> ');
  host.type('exit\r');
  await pass(0);
  expect(host.received()).toBe('exit\r\nStream mode not operational\r\nCommand failed\r\n> ');
  host.type('half a li');
  await pass(0);
  host.received();
  module.pins.drive(7, 0);
  await pass(0);
  expect(host.received()).toBe('[Command Mode Stop]\r\n');
  host.type('data');
  await pass(10);
  expect([host.received(), peer.sent()]).toEqual(['', 'data']);
});

test('a boot with the command pin asserted comes to the command line without a notice', async () => {
  const { attach, restart, module, pass } = await busRig();
  const host = attach();
  module.pins.drive(7, 1);
  await restart('bus.stream.cmd_gpio 7', 'bus.mode stream');
  expect(host.received()).toMatch(/\[Ready\]\r\n> $/);
  module.pins.drive(7, 0);
  await pass(0);
  expect(host.received()).toBe('[Command Mode Stop]\r\n');
});

// MOD-CMD-exit, MOD-STATE-2
test('exit fails without anything that could be a stream, and works with one that starts by itself', async () => {
  const { attach, restart, run, pass } = await busRig();
  const host = attach();
  await restart('bus.mode stream', 'http.server.enabled 0');
  expect(await run('exit')).toBe('1 Command failed');
  await pass(3_000);
  host.type('$$$');
  await pass(0);
  expect(await run('exit')).toBe('1 Command failed');
  await run('set tcp.client.auto_start 1');
  expect(await run('exit')).toBe('0 ');
  expect(await run('exit')).toBe('1 Command failed');
});

// MOD-VAR-bus.log_bus, MOD-VAR-bus.data_bus
test('data and commands are on one UART and the log on the other', async () => {
  const { attach, restart, connect, module, pass } = await busRig();
  const [first, second] = [attach({ uart: 0 }), attach({ uart: 1 })];
  await restart('bus.data_bus uart1', 'bus.log_bus uart0');
  first.received();
  second.received();
  module.log.line('said');
  first.type('get bus.mode\r');
  second.type('get bus.mode\r');
  await pass(0);
  expect([first.received(), second.received()]).toEqual(['said\r\n', 'get bus.mode\r\ncommand\r\n> ']);
  await restart('bus.mode stream');
  first.received();
  second.received();
  const peer = new PeerStream();
  connect(peer);
  peer.send('data');
  first.type('no');
  second.type('yes');
  await pass(10);
  expect([first.received(), second.received(), peer.sent()]).toEqual(['[Opened: 0]\r\n', 'data', 'yes']);
});

test('the log is on the UART of bus.log_bus, and commands stay where they are', async () => {
  const { attach, restart, module, pass } = await busRig();
  const [first, second] = [attach({ uart: 0 }), attach({ uart: 1 })];
  await restart('bus.log_bus uart1');
  first.received();
  second.received();
  module.log.line('said');
  first.type('get bus.mode\r');
  await pass(0);
  expect([first.received(), second.received()]).toEqual(['get bus.mode\r\ncommand\r\n> ', 'said\r\n']);
});

test('in stream mode HTTP and its kin still run commands', async () => {
  const { run } = await streaming();
  expect(await run('get bus.mode')).toBe('0 stream');
});

test('a reboot ends command mode and drops what was collected', async () => {
  const { host, peer, module, clock, pass } = await streaming('bus.stream.flush_time 1000');
  host.type('lost');
  await pass(0);
  await module.reboot();
  await clock.advance(2_000);
  expect(peer.sent()).toBe('');
  host.type('$$$');
  await pass(0);
  expect(host.received()).toMatch(/\[Ready\]\r\n$/);
});

test('bytes that come while the module starts again wait and are data in stream mode', async () => {
  const { attach, restart, module, connect, clock } = await busRig({ personality: slowBoot });
  const host = attach();
  await restart('bus.mode stream');
  const rebooted = module.reboot();
  await clock.advance(10);
  host.type('early');
  const peer = new PeerStream();
  await clock.advance(489);
  connect(peer);
  await clock.advance(1);
  await rebooted;
  await clock.advance(10);
  expect(host.received()).not.toContain('> ');
  expect(peer.sent()).toBe('early');
});

test('several lines of one UART share the stream', async () => {
  const { host, peer, attach, pass } = await streaming();
  const other = attach();
  host.type('a');
  other.type('b');
  peer.send('c');
  await pass(10);
  expect([host.received(), other.received(), peer.sent()]).toEqual(['c', 'c', 'ab']);
  other.stream.destroy();
  await pass(0);
  peer.send('d');
  await pass(0);
  expect(host.received()).toBe('d');
});

test('what comes from the network without a host on the line is lost, or waits with flow control', async () => {
  for (const flow of [0, 1]) {
    const { attach, restart, connect, pass } = await busRig();
    await restart('bus.mode stream', `uart.flow 0 ${flow}`);
    const peer = new PeerStream();
    connect(peer);
    peer.send('early');
    await pass(0);
    const host = attach();
    peer.send('late');
    await pass(0);
    expect(host.received()).toBe(flow === 1 ? 'earlylate' : 'late');
  }
});

test('in safe mode there is a command line whatever bus.mode says', async () => {
  const { attach, restart, module, clock } = await busRig();
  const host = attach();
  await restart('bus.mode stream');
  for (let fault = 0; fault < 8; fault++) {
    const crashed = module.fault('HARD FAULT');
    await clock.advance(10_000);
    await crashed;
  }
  expect(host.received()).toMatch(/SAFEMODE> $/);
});
