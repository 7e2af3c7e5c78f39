import { afterEach, describe, expect, test } from 'vitest';
import { farPort, grounds, type SocketRig, socketRig } from '../testing/socket-rig.ts';

let rig: SocketRig;
afterEach(() => rig.close());

/** The host as a command names it: in memory hosts have names. */
const hostOf = ({ farIp }: SocketRig): string => (farIp.startsWith('10.') ? 'far.test' : farIp);

describe.each(grounds)('tcp_client over %s', (ground) => {
  // MOD-CMD-tcp_client, MOD-STREAM-TCPC, MOD-RULE-tcp, MOD-EVENT-opening, MOD-EVENT-opened, MOD-EVENT-closed
  test('connects, carries bytes both ways and closes, with the documented lines', async () => {
    rig = await socketRig(ground);
    const host = hostOf(rig);
    const { accepted } = await rig.serve();
    expect(await rig.run(`tcpc ${host} ${farPort}`)).toBe(
      `[Opening: ${host}:${farPort}]|Connecting (TCP): ${host}:${farPort}|[Opened: 0]|0 0`,
    );
    expect(await rig.run('list 0')).toMatch(new RegExp(`^0 TCPC  ${host}:${farPort} \\(\\d+\\)$`));
    expect(await rig.run('poll 0')).toBe('0 0');
    expect(await rig.run('write 0 5', 'hello')).toBe('0 Success');
    await rig.settle();
    expect(accepted[0]?.text).toBe('hello');
    accepted[0]?.send('good day');
    await rig.settle();
    expect(await rig.run('poll all -c')).toBe('0 0,1,8');
    expect(await rig.run('read 0 4')).toBe('0 good');
    expect(await rig.run('read 0 100')).toBe('0  day');
    expect(await rig.run('close 0')).toBe('Closing: 0|[Closed: 0]|0 Success');
    await rig.settle();
    expect(accepted[0]?.ended).toBe(true);
    expect(await rig.run('poll 0')).toBe('No such stream|1 Command failed');
  });

  test('a server that closes leaves its last bytes to be read, then the stream goes', async () => {
    // MOD-STREAM-poll-states, MOD-STREAM-auto-close
    rig = await socketRig(ground);
    const { accepted } = await rig.serve();
    await rig.run(`tcpc ${hostOf(rig)} ${farPort}`);
    await rig.settle();
    accepted[0]?.stream.end('last words');
    await rig.settle();
    expect(await rig.run('poll 0')).toBe('0 1');
    expect(await rig.run('write 0 1', 'x')).toBe('Stream cannot be written|1 Command failed');
    expect(await rig.run('read 0 5')).toBe('0 last ');
    expect(await rig.run('read 0 99')).toBe('[Closed: 0]|0 words');
    expect(await rig.run('read 0 99')).toBe('No such stream|1 Command failed');
  });

  // MOD-VAR-stream.auto_close
  test('without auto close a closed stream polls 2 until it is closed', async () => {
    rig = await socketRig(ground);
    const { accepted } = await rig.serve();
    await rig.run('set stream.auto_close 0');
    await rig.run(`tcpc ${hostOf(rig)} ${farPort}`);
    await rig.settle();
    accepted[0]?.stream.end('z');
    await rig.settle();
    expect(await rig.run('poll 0')).toBe('0 1');
    expect(await rig.run('read 0 9')).toBe('0 z');
    expect(await rig.run('poll 0')).toBe('0 2');
    expect(await rig.run('read 0 9')).toBe('0 ');
    expect(await rig.run('close 0')).toBe('Closing: 0|[Closed: 0]|0 Success');
  });

  test('a server that dies in the middle is reported by poll and by the close', async () => {
    rig = await socketRig(ground);
    const { accepted } = await rig.serve();
    await rig.run(`tcpc ${hostOf(rig)} ${farPort}`);
    await rig.settle();
    accepted[0]?.send('half of');
    await rig.settle();
    accepted[0]?.stream.destroy(new Error('killed'));
    await rig.settle();
    expect(await rig.run('poll 0')).toBe('0 1');
    expect(await rig.run('read 0 99')).toBe('[Closed: 0]|0 half of');
    // With nothing left to read, the end itself is the news.
    await rig.run(`tcpc ${hostOf(rig)} ${farPort}`);
    await rig.said();
    accepted[1]?.stream.destroy(new Error('killed'));
    expect(await rig.said()).toEqual(['[Closed: 0]']);
    expect(await rig.run('poll 0')).toBe('No such stream|1 Command failed');
  });

  test('a refused connection is tried as often as tcp.client.retries says', async () => {
    // MOD-EVENT-open-failed, MOD-VAR-tcp.client.retries, MOD-VAR-tcp.client.retry_period
    rig = await socketRig(ground);
    const host = hostOf(rig);
    await rig.run('set tcp.client.retries 2');
    await rig.run('set tcp.client.retry_period 2');
    const startedMs = rig.clock.monotonic();
    const trying = `Connecting (TCP): ${host}:${farPort}`;
    expect(await rig.run(`tcpc ${host} ${farPort}`)).toBe(
      `[Opening: ${host}:${farPort}]|${trying}|${trying}|Connection refused|[Open failed]|1 Command failed`,
    );
    expect(rig.clock.monotonic() - startedMs).toBeGreaterThanOrEqual(2_000);
    expect(rig.clock.monotonic() - startedMs).toBeLessThan(4_000);
    expect(await rig.run('poll all')).toBe('0 None');
  });

  test('a server that comes in time is reached by a later attempt', async () => {
    rig = await socketRig(ground);
    await rig.run('set tcp.client.retry_period 1');
    const connecting = rig.module.execute(`tcpc ${hostOf(rig)} ${farPort}`);
    await rig.settle();
    await rig.serve();
    expect((await rig.until(connecting)).text).toBe('0');
  });

  test('-l and tcp.client.local_port name the local port', async () => {
    // MOD-OPT-tcp_client-l, MOD-VAR-tcp.client.local_port
    rig = await socketRig(ground);
    const host = hostOf(rig);
    await rig.serve();
    await rig.run(`tcpc -l 41001 ${host} ${farPort}`);
    expect(await rig.run('list 0')).toBe(`0 TCPC  ${host}:${farPort} (41001)`);
    await rig.run('set tcp.client.local_port 41002');
    await rig.run(`tcpc ${host} ${farPort}`);
    expect(await rig.run('list 1')).toBe(`0 TCPC  ${host}:${farPort} (41002)`);
  });

  test('host and port come from the variables when they are left out', async () => {
    // MOD-VAR-tcp.client.remote_host, MOD-VAR-tcp.client.remote_port
    rig = await socketRig(ground);
    const host = hostOf(rig);
    expect(await rig.run('tcpc')).toBe('4 Too few arguments');
    await rig.serve();
    await rig.run(`set tcp.client.remote_host ${host}`);
    await rig.run(`set tcp.client.remote_port ${farPort}`);
    expect(await rig.run('tcpc')).toContain(`[Opening: ${host}:${farPort}]`);
    expect(await rig.run(`tcpc ${host}`)).toMatch(/0 1$/);
  });

  test('a ninth stream is refused before anything is dialled', async () => {
    // MOD-LIMIT-streams
    rig = await socketRig(ground);
    await rig.serve();
    for (let handle = 0; handle < 8; handle++)
      expect(await rig.run(`tcpc ${hostOf(rig)} ${farPort}`)).toMatch(new RegExp(`0 ${handle}$`));
    expect(await rig.run(`tcpc ${hostOf(rig)} ${farPort}`)).toBe('No free stream|1 Command failed');
    await rig.run('close 3');
    expect(await rig.run(`tcpc ${hostOf(rig)} ${farPort}`)).toMatch(/0 3$/);
  });

  test('network_down closes the streams in order before the link goes', async () => {
    rig = await socketRig(ground);
    const { accepted } = await rig.serve();
    await rig.run(`tcpc ${hostOf(rig)} ${farPort}`);
    await rig.run('fcr -o kept 3');
    await rig.run(`tcpc ${hostOf(rig)} ${farPort}`);
    expect(await rig.run('network_down')).toBe('[Closed: 0]|[Closed: 2]|[Disassociated]|0 Success');
    await rig.settle();
    expect(accepted.map((end) => end.ended)).toEqual([true, true]);
    expect(await rig.run('poll all')).toBe('0 1,0');
  });

  test('a lost link closes the streams and ends what is being opened', async () => {
    rig = await socketRig(ground);
    await rig.serve();
    await rig.run('set tcp.client.retry_period 1');
    await rig.run(`tcpc ${hostOf(rig)} ${farPort}`);
    const opening = rig.module.execute(`tcpc ${hostOf(rig)} ${farPort + 1}`);
    await rig.said();
    rig.module.wlan.loseLink();
    expect(await rig.said()).toEqual(['[Closed: 0]', '[Disassociated]']);
    expect((await rig.until(opening)).code).toBe(1);
    expect(await rig.said()).toEqual(['Network lost', '[Open failed]']);
  });

  test('the network comes up by itself', async () => {
    // MOD-NET-auto-up
    rig = await socketRig(ground);
    await rig.serve();
    await rig.run('network_down');
    const answer = await rig.run(`tcpc ${hostOf(rig)} ${farPort}`);
    expect(answer).toMatch(/^\[Associating to harbour-open\]\|.*\[Associated\]\|\[Opening: .*\[Opened: 0\]\|0 0$/);
  });
});

describe('tcp_client', () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['tcpc far.test 0', '7 Invalid argument'],
    ['tcpc far.test 65536', '7 Invalid argument'],
    ['tcpc far.test x', '7 Invalid argument'],
    ['tcpc -l x far.test 1', '7 Invalid argument'],
    ['tcpc -i uplink far.test 1', '7 Invalid argument'],
    ['tcpc -q far.test 1', '6 Unknown variable'],
    ['tcpc far.test 1 2', '5 Too many arguments'],
    [`tcpc ${'x'.repeat(129)} 1`, '7 Invalid argument'],
  ];
  test.each(refusals)('%s answers %s', async (line, answer) => {
    rig = await socketRig();
    expect(await rig.run(line)).toBe(answer);
  });

  test('a host without a name and one that stays silent fail', async () => {
    // MOD-VAR-tcp.client.connect_timeout
    rig = await socketRig();
    await rig.run('set tcp.client.retries 1');
    expect(await rig.run('tcpc nowhere.test 80')).toBe(
      '[Opening: nowhere.test:80]|Connecting (TCP): nowhere.test:80|Host not found: nowhere.test|[Open failed]|1 Command failed',
    );
    rig.network.conditions = () => ({ silent: true });
    await rig.run('set tcp.client.connect_timeout 1500');
    const startedMs = rig.clock.monotonic();
    expect(await rig.run(`tcpc far.test ${farPort}`)).toMatch(
      /\|Connection timed out\|\[Open failed\]\|1 Command failed$/,
    );
    expect(rig.clock.monotonic() - startedMs).toBeGreaterThanOrEqual(1_500);
    expect(rig.clock.monotonic() - startedMs).toBeLessThan(2_000);
  });

  test('the packet pool has the size that its variables had at boot', async () => {
    // MOD-VAR-network.buffer.size, MOD-VAR-network.buffer.rxtx_ratio, MOD-VAR-bus.command.write_check_enabled
    rig = await socketRig();
    await rig.serve();
    for (const line of [
      'network.buffer.size 4096',
      'network.buffer.rxtx_ratio 75',
      'bus.command.write_check_enabled 1',
    ])
      await rig.run(`set ${line}`);
    await rig.run(`tcpc far.test ${farPort}`);
    expect(await rig.run('write 0 5000', 'x'.repeat(5_000))).toBe('0 Success');
    await rig.run('save');
    await rig.until(rig.module.reboot());
    await rig.join();
    await rig.run(`tcpc far.test ${farPort}`);
    // Of 1,024 bytes for sending, a quarter is divided among eight streams.
    expect(await rig.run('write 0 801', 'x'.repeat(801))).toBe('9 Bounds error');
    expect(await rig.run('write 0 800', 'x'.repeat(800))).toBe('0 Success');
  });

  test('keep-alive ends a stream whose peer has gone without a word', async () => {
    // MOD-VAR-tcp.keepalive.enabled, MOD-VAR-tcp.keepalive.initial_timeout, MOD-VAR-tcp.keepalive.retry_count,
    // MOD-VAR-tcp.keepalive.retry_timeout
    rig = await socketRig();
    await rig.serve();
    rig.network.conditions = () => ({ vanishAfterBytes: 0 });
    await rig.run(`tcpc far.test ${farPort}`);
    for (const line of ['enabled 1', 'initial_timeout 10', 'retry_count 3', 'retry_timeout 2'])
      expect(await rig.run(`set tcp.keepalive.${line}`)).toBe('0 Set OK');
    await rig.run(`tcpc far.test ${farPort}`);
    await rig.clock.advance(15_900);
    expect(await rig.run('poll all')).toBe('0 0,0|1,0');
    await rig.clock.advance(200);
    expect(await rig.said()).toEqual(['[Closed: 1]']);
    expect(await rig.run('poll all')).toBe('0 0,0');
  });
});

describe.each(grounds)('tcp_server over %s', (ground) => {
  // MOD-CMD-tcp_server, MOD-STREAM-TCPS, MOD-STREAM-server
  test('listens without a stream, and each client becomes one', async () => {
    rig = await socketRig(ground);
    expect(await rig.run('tcps start')).toBe('TCP server listening on port: 3000|0 Success');
    expect(await rig.run('poll all')).toBe('0 None');
    const [first, second] = [await rig.call(3000), await rig.call(3000)];
    expect(await rig.said()).toEqual(['[Opened: 0]', '[Opened: 1]']);
    expect(await rig.run('list 0')).toMatch(new RegExp(`^0 TCPS  ${rig.moduleIp}:3000 ${rig.farIp}:\\d+$`));
    second.send('question');
    await rig.settle();
    expect(await rig.run('poll all')).toBe('0 0,0|1,1');
    expect(await rig.run('read 1 99')).toBe('0 question');
    await rig.run('write 1 6', 'answer');
    await rig.settle();
    expect([first.text, second.text]).toEqual(['', 'answer']);
    second.stream.end();
    expect(await rig.said()).toEqual(['[Closed: 1]']);
  });

  test('several ports at once; stop names one or takes all, with their streams', async () => {
    rig = await socketRig(ground);
    await rig.run('tcps start 3001');
    await rig.run('tcps start 3002');
    expect(await rig.run('tcps start 3001')).toBe('Server running already|1 Command failed');
    const ends = [await rig.call(3001), await rig.call(3002), await rig.call(3001)];
    expect(await rig.run('tcps stop 3001')).toBe('[Closed: 0]|[Closed: 2]|0 Success');
    await rig.settle();
    expect(ends.map((end) => end.ended)).toEqual([true, false, true]);
    expect(await rig.run('tcps stop 3001')).toBe('Server not running|1 Command failed');
    expect(await rig.run('tcps stop')).toBe('[Closed: 1]|0 Success');
    expect(await rig.run('tcps stop')).toBe('Server not running|1 Command failed');
    await expect(rig.call(3002)).rejects.toThrow();
    expect(await rig.run('tcps start 3001')).toBe('TCP server listening on port: 3001|0 Success');
  });

  test('clients above tcp.server.max_clients are refused', async () => {
    // MOD-VAR-tcp.server.max_clients, MOD-VAR-tcp.server.port
    rig = await socketRig(ground);
    await rig.run('set tcp.server.max_clients 2');
    await rig.run('set tcp.server.port 3010');
    await rig.run('tcps start');
    await rig.call(3010);
    const second = await rig.call(3010);
    const third = await rig.call(3010);
    expect((await rig.said()).slice(1)).toEqual(['[Opened: 0]', '[Opened: 1]', 'Too many clients']);
    expect(third.over).toBe(true);
    second.stream.end();
    await rig.settle();
    await rig.call(3010);
    expect(await rig.said()).toEqual(['[Closed: 1]', '[Opened: 1]']);
  });

  test('a client for whom no handle is free is refused', async () => {
    rig = await socketRig(ground);
    for (let file = 0; file < 7; file++) await rig.run(`fcr -o f${file} 1`);
    await rig.run('tcps start');
    await rig.call(3000);
    const second = await rig.call(3000);
    expect((await rig.said()).slice(1)).toEqual(['[Opened: 7]', 'No free stream']);
    expect(second.over).toBe(true);
  });

  test('a client without traffic is dropped after tcp.server.idle_timeout', async () => {
    // MOD-VAR-tcp.server.idle_timeout
    rig = await socketRig(ground);
    await rig.run('set tcp.server.idle_timeout 20');
    await rig.run('tcps start');
    const [busy, idle] = [await rig.call(3000), await rig.call(3000)];
    await rig.said();
    await rig.clock.advance(15_000);
    busy.send('still here');
    await rig.settle();
    await rig.clock.advance(6_000);
    expect(await rig.said()).toEqual(['[Closed: 1]']);
    await rig.settle();
    expect([busy.ended, idle.ended]).toEqual([false, true]);
    await rig.clock.advance(15_000);
    expect(await rig.said()).toEqual(['[Closed: 0]']);
  });

  test('pins show that a client is there and that its data waits', async () => {
    // MOD-VAR-tcp.server.connected_gpio, MOD-VAR-tcp.server.data_gpio
    rig = await socketRig(ground);
    await rig.run('set tcp.server.connected_gpio 5');
    await rig.run('set tcp.server.data_gpio 6');
    const levels = () => [5, 6].map((pin) => rig.module.pins.level(pin));
    await rig.run('tcps start');
    expect(levels()).toEqual([0, 0]);
    const client = await rig.call(3000);
    expect(levels()).toEqual([1, 0]);
    client.send('ab');
    await rig.settle();
    expect(levels()).toEqual([1, 1]);
    await rig.run('read 0 1');
    expect(levels()).toEqual([1, 1]);
    await rig.run('read 0 1');
    expect(levels()).toEqual([1, 0]);
    client.stream.end();
    await rig.settle();
    expect(levels()).toEqual([0, 0]);
  });

  test('network_down stops the servers', async () => {
    rig = await socketRig(ground);
    await rig.run('tcps start 3001');
    await rig.call(3001);
    expect(await rig.run('network_down')).toBe('[Closed: 0]|[Disassociated]|0 Success');
    await rig.join();
    await expect(rig.call(3001)).rejects.toThrow();
    expect(await rig.run('tcps start 3001')).toBe('TCP server listening on port: 3001|0 Success');
  });

  test('a reboot ends servers and streams without a word of them', async () => {
    rig = await socketRig(ground);
    await rig.run('tcps start 3001');
    const client = await rig.call(3001);
    await rig.said();
    await rig.until(rig.module.reboot());
    expect((await rig.said())[0]).toBe('[Disassociated]');
    await rig.settle();
    expect(client.ended).toBe(true);
    await expect(rig.call(3001)).rejects.toThrow();
  });

  test('a port that another program has is refused', async () => {
    rig = await socketRig(ground);
    const net = rig.module.net;
    const listener = await net.listen(3001, () => {});
    expect(await rig.run('tcps start 3001')).toMatch(/^TCP server not started: .*\|1 Command failed$/);
    if (listener.ok) await listener.value.close();
    expect(await rig.run('tcps start 3001')).toMatch(/0 Success$/);
  });
});

describe('tcp_server', () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['tcps', '4 Too few arguments'],
    ['tcps restart', '7 Invalid argument'],
    ['tcps start 0', '7 Invalid argument'],
    ['tcps start x', '7 Invalid argument'],
    ['tcps start 1 2', '5 Too many arguments'],
    ['tcps stop 4000', 'Server not running|1 Command failed'],
  ];
  test.each(refusals)('%s answers %s', async (line, answer) => {
    rig = await socketRig();
    expect(await rig.run(line)).toBe(answer);
  });
});
