import { unwrap } from '@moorage/base';
import type { Datagram } from '@moorage/net';
import { afterEach, describe, expect, test } from 'vitest';
import { farPort, grounds, type SocketRig, socketRig } from '../testing/socket-rig.ts';

let rig: SocketRig;
afterEach(() => rig.close());

/** A socket of the far host; what it has heard as texts. */
async function peer(port = farPort, net = rig.far) {
  const received: Datagram[] = [];
  const socket = unwrap(await net.datagrams({ port }, (datagram) => received.push(datagram)));
  return {
    socket,
    received,
    texts: () => received.map(({ bytes }) => Buffer.from(bytes).toString('latin1')),
    say: async (text: string, to: number) => {
      unwrap(await socket.send(Buffer.from(text, 'latin1'), rig.moduleIp, to));
      await rig.settle();
    },
  };
}

describe.each(grounds)('udp_client over %s', (ground) => {
  // MOD-CMD-udp_client, MOD-STREAM-UDPC, MOD-RULE-udp
  test('each write is one datagram, and reads run them together', async () => {
    rig = await socketRig(ground);
    const { received, texts, say, socket } = await peer();
    expect(await rig.run(`udpc ${rig.farIp} ${farPort} 26674`)).toBe(
      `[Opening: ${rig.farIp}:${farPort}]|[Opened: 0]|0 0`,
    );
    expect(await rig.run('list 0')).toBe(`0 UDPC  ${rig.farIp}:${farPort} (26674)`);
    expect(await rig.run('write 0 5', 'hello')).toBe('0 Success');
    expect(await rig.run('write 0 2', 'hi')).toBe('0 Success');
    await rig.settle();
    expect(texts()).toEqual(['hello', 'hi']);
    expect(received[0]).toMatchObject({ address: rig.moduleIp, port: 26674 });
    expect(await rig.run('poll 0')).toBe('0 0');
    await say('one', 26674);
    await say('two', 26674);
    expect(await rig.run('poll all -c')).toBe('0 0,1,6');
    expect(await rig.run('read 0 4')).toBe('0 onet');
    expect(await rig.run('read 0 4')).toBe('0 wo');
    expect(await rig.run('close 0')).toBe('Closing: 0|[Closed: 0]|0 Success');
    await say('late', 26674);
    expect(await rig.run('poll all')).toBe('0 None');
    await socket.close();
  });

  test('takes a local port of its own, and refuses one that is taken', async () => {
    rig = await socketRig(ground);
    expect(await rig.run(`udpc ${rig.farIp} ${farPort}`)).toMatch(/0 0$/);
    expect(await rig.run('list 0')).toMatch(/ \([1-9]\d*\)$/);
    expect(await rig.run(`udpc ${rig.farIp} ${farPort} 26674`)).toMatch(/0 1$/);
    expect(await rig.run(`udpc ${rig.farIp} ${farPort} 26674`)).toBe(
      `[Opening: ${rig.farIp}:${farPort}]|Local port in use|[Open failed]|1 Command failed`,
    );
  });

  test('a datagram has at most 65,507 bytes; the data of a longer one is taken and refused', async () => {
    rig = await socketRig(ground);
    await rig.run(`udpc ${rig.farIp} ${farPort}`);
    expect(await rig.run('write 0 65508', 'x'.repeat(65_508))).toBe('More data than a datagram holds|1 Command failed');
    expect(await rig.run('write 0 1', 'x')).toBe('0 Success');
  });

  test('what the packet pool has no room for is lost, and usage shows how full it is', async () => {
    // MOD-VAR-network.buffer.usage
    rig = await socketRig(ground);
    const { say, socket } = await peer();
    await rig.run(`udpc ${rig.farIp} ${farPort} 26674`);
    expect(await rig.run('get network.buffer.usage')).toBe('0 rx:0,tx:0');
    for (let count = 0; count < 20; count++) await say('.'.repeat(1_000), 26674);
    expect(await rig.run('poll 0 -c')).toBe('0 0,1,11000');
    expect(await rig.run('get network.buffer.usage')).toBe('0 rx:74,tx:0');
    expect(await rig.run('read 0 11000')).toBe(`0 ${'.'.repeat(11_000)}`);
    expect(await rig.run('get network.buffer.usage')).toBe('0 rx:0,tx:0');
    await socket.close();
  });
});

describe.each(grounds)('udp_server over %s', (ground) => {
  // MOD-CMD-udp_server, MOD-STREAM-UDPS, MOD-STREAM-udp-clients
  test('has one stream for all senders and answers the last one', async () => {
    rig = await socketRig(ground);
    expect(await rig.run('udps start')).toBe('UDP server listening on port: 3000|[Opened: 0]|0 Success');
    expect(await rig.run('list 0')).toBe(`0 UDPS  ${rig.moduleIp}:3000 0.0.0.0:0`);
    expect(await rig.run('write 0 1', 'x')).toBe('Stream cannot be written|1 Command failed');
    const [first, second] = [await peer(5001), await peer(5002)];
    await first.say('from one', 3000);
    await second.say('from two', 3000);
    expect(await rig.run('list 0')).toBe(`0 UDPS  ${rig.moduleIp}:3000 ${rig.farIp}:5002`);
    expect(await rig.run('poll all')).toBe('0 0,1');
    expect(await rig.run('read 0 99')).toBe('0 from onefrom two');
    await rig.run('write 0 6', 'answer');
    await rig.settle();
    expect([first.texts(), second.texts()]).toEqual([[], ['answer']]);
    expect(await rig.run('udps stop')).toBe('[Closed: 0]|0 Success');
    await Promise.all([first.socket.close(), second.socket.close()]);
  });

  test('with lock_client only the first sender is heard and answered', async () => {
    // MOD-VAR-udp.server.lock_client, MOD-VAR-udp.server.port
    rig = await socketRig(ground);
    await rig.run('set udp.server.lock_client 1');
    await rig.run('set udp.server.port 3005');
    await rig.run('udps start');
    const [first, second] = [await peer(5001), await peer(5002)];
    await first.say('a', 3005);
    await second.say('b', 3005);
    await first.say('c', 3005);
    expect(await rig.run('read 0 99')).toBe('0 ac');
    await rig.run('write 0 1', 'z');
    await rig.settle();
    expect([first.texts(), second.texts()]).toEqual([['z'], []]);
    await Promise.all([first.socket.close(), second.socket.close()]);
  });

  test('write sends to any address and read takes what came', async () => {
    rig = await socketRig(ground);
    await rig.run('udps start 3006');
    const other = await peer(5001);
    expect(await rig.run(`udps write 4 ${rig.farIp} 5001`, 'ping')).toBe('0 Success');
    await rig.settle();
    expect(other.texts()).toEqual(['ping']);
    expect(other.received[0]?.port).toBe(3006);
    await other.say('pong', 3006);
    expect(await rig.run('udps read 2')).toBe('0 po');
    expect(await rig.run('udps read 99')).toBe('0 ng');
    expect(await rig.run('udps write 65508 10.0.0.1 1', 'x'.repeat(65_508))).toBe(
      'More data than a datagram holds|1 Command failed',
    );
    await other.socket.close();
  });

  test('runs once; closing its stream stops it', async () => {
    rig = await socketRig(ground);
    await rig.run('udps start 3007');
    expect(await rig.run('udps start 3008')).toBe('Server running already|1 Command failed');
    expect(await rig.run('close 0')).toBe('Closing: 0|[Closed: 0]|0 Success');
    expect(await rig.run('udps stop')).toBe('Server not running|1 Command failed');
    expect(await rig.run('udps start 3007')).toMatch(/0 Success$/);
    expect(await rig.run('network_down')).toBe('[Closed: 0]|[Disassociated]|0 Success');
    await rig.join();
    expect(await rig.run('udps start 3007')).toMatch(/0 Success$/);
  });

  test('a pin shows that data waits', async () => {
    // MOD-VAR-udp.server.data_gpio
    rig = await socketRig(ground);
    await rig.run('set udp.server.data_gpio 7');
    await rig.run('udps start');
    const other = await peer(5001);
    expect(rig.module.pins.level(7)).toBe(0);
    await other.say('data', 3000);
    expect(rig.module.pins.level(7)).toBe(1);
    await rig.run('read 0 4');
    expect(rig.module.pins.level(7)).toBe(0);
    await other.socket.close();
  });
});

describe('udp commands', () => {
  test('a broadcast reaches every host, and is heard by a client on its port', async () => {
    rig = await socketRig();
    const [one, two] = [await peer(50_000), await peer(50_000, rig.network.attach('third', '10.5.6.10'))];
    await rig.run('udpc 255.255.255.255 50000 50000');
    await rig.run('write 0 5', 'hello');
    await rig.settle();
    expect([one.texts(), two.texts()]).toEqual([['hello'], ['hello']]);
    unwrap(await one.socket.send(Buffer.from('to all'), '10.5.6.255', 50_000));
    await rig.settle();
    // Its own broadcast comes back to it as well, as on a real network.
    expect(await rig.run('read 0 99')).toContain('to all');
  });

  const refusals: readonly (readonly [string, string])[] = [
    ['udpc far.test', '4 Too few arguments'],
    ['udpc far.test 0', '7 Invalid argument'],
    ['udpc far.test 1 70000', '7 Invalid argument'],
    ['udpc far.test 1 2 3', '5 Too many arguments'],
    ['udpc nowhere.test 1', '[Opening: nowhere.test:1]|Host not found: nowhere.test|[Open failed]|1 Command failed'],
    ['udps', '4 Too few arguments'],
    ['udps begin', '7 Invalid argument'],
    ['udps start x', '7 Invalid argument'],
    ['udps start 1 2', '5 Too many arguments'],
    ['udps stop 1', '5 Too many arguments'],
    ['udps write 1 10.0.0.1', '4 Too few arguments'],
    ['udps write 0 10.0.0.1 1', '7 Invalid argument'],
    ['udps write 1 10.0.0.1 0', '7 Invalid argument'],
    ['udps write 1 10.0.0.1 1 1', '5 Too many arguments'],
    ['udps read', '4 Too few arguments'],
    ['udps read 0', '7 Invalid argument'],
    ['udps read 1', 'Server not running|1 Command failed'],
    ['udps stop', 'Server not running|1 Command failed'],
  ];
  test.each(refusals)('%s answers %s', async (line, answer) => {
    rig = await socketRig();
    expect(await rig.run(line)).toBe(answer);
  });

  test('udp_server write takes its data even when no server runs', async () => {
    rig = await socketRig();
    expect(await rig.run('udps write 3 10.0.0.1 5', 'abc')).toBe('Server not running|1 Command failed');
  });

  test('eight streams are the limit for both', async () => {
    rig = await socketRig();
    for (let handle = 0; handle < 8; handle++) await rig.run(`udpc far.test ${farPort}`);
    expect(await rig.run(`udpc far.test ${farPort}`)).toBe('No free stream|1 Command failed');
    expect(await rig.run('udps start')).toBe('No free stream|1 Command failed');
  });
});
