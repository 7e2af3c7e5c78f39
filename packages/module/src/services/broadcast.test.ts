import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { moduleIp, networkRig } from '../testing/network-rig.ts';
import { postTarget } from './broadcast.ts';

const port = 55555;

async function rigWith(...commands: readonly string[]) {
  const rig = await networkRig();
  await rig.runAll('set ntp.enabled 0', ...commands);
  const listener = await rig.peer('10.5.6.20', { port });
  const texts = (): readonly string[] => listener.received.splice(0).map(({ bytes }) => Buffer.from(bytes).toString());
  return { ...rig, listener, texts };
}

// MOD-RULE-broadcast, MOD-EVENT-3
describe('status broadcast by UDP', () => {
  test('goes to all, from the port that it goes to, when the interface has its address', async () => {
    const { join, listener, module, texts } = await rigWith();
    await join();
    expect(listener.received).toMatchObject([{ address: moduleIp, port }]);
    expect(texts()).toEqual([`{"ip":"${moduleIp}","mac":"${module.identity.mac}"}`]);
  });

  test('has all that the later generation has when it is asked for', async () => {
    const all = 'mac,bssid,channel,ip,ssid,rssi,remote_terminal_port,time,version';
    const { join, module, texts } = await rigWith(`set broadcast.data "${all}"`);
    await join();
    const nowMs = module.rtc.nowMs();
    const { mac } = module.identity;
    expect(texts()).toEqual([
      `{"mac":"${mac}","bssid":"02:6D:6F:00:00:01","channel":1,"ip":"${moduleIp}","ssid":"harbour-open","rssi":-61,` +
        `"remote_terminal_port":2000,"time":${nowMs - 1},"version":"${module.versionLine}"}`,
    ]);
  });

  // MOD-VAR-broadcast.interval
  test('comes again after every interval', async () => {
    const { join, pass, run, texts } = await rigWith('set broadcast.interval 20');
    await join();
    await pass(59_998);
    expect(texts()).toHaveLength(3);
    // A new interval waits for the next start.
    await run('set broadcast.interval 1');
    await pass(20_000);
    expect(texts()).toHaveLength(1);
    await run('network_restart');
    await pass(2_999);
    expect(texts()).toHaveLength(3);
  });

  test('an interval of 0 switches it off', async () => {
    const { join, pass, texts } = await rigWith('set broadcast.interval 0');
    await join();
    await pass(100_000);
    expect(texts()).toEqual([]);
  });

  // MOD-VAR-broadcast.data
  test('has the items of broadcast.data in their order, as they are now', async () => {
    const { join, module, pass, run, texts } = await rigWith('set broadcast.data "uuid,ip,mac"');
    await join();
    const { mac, uuid } = module.identity;
    expect(texts()).toEqual([`{"uuid":"${uuid}","ip":"${moduleIp}","mac":"${mac}"}`]);
    await run('set broadcast.data ip');
    await pass(10_000);
    expect(texts()).toEqual([`{"ip":"${moduleIp}"}`]);
    await run('set broadcast.data ""');
    await pass(10_000);
    expect(texts()).toEqual(['{}']);
  });

  test('contains the levels of pins and samples of analog ones', async () => {
    const { join, module, texts } = await rigWith('set broadcast.data "gpio3,gpio4,adc7,adc3"');
    module.pins.drive(3, 1);
    module.pins.analog(7, 1.65);
    await join();
    expect(texts()).toEqual(['{"gpio3":1,"gpio4":0,"adc7":2048,"adc3":0}']);
  });

  // MOD-VAR-broadcast.udp.ip, MOD-VAR-broadcast.udp.port
  test('goes to the host and port of its variables', async () => {
    const rig = await rigWith('set broadcast.udp.ip 10.5.6.30', 'set broadcast.udp.port 4000');
    const host = await rig.peer('10.5.6.30', { port: 4000 });
    // A broadcast would reach the first host, too.
    const bystander = await rig.peer('10.5.6.31', { port: 4000 });
    await rig.join();
    expect(host.received).toMatchObject([{ port: 4000 }]);
    expect(bystander.received).toEqual([]);
    expect(rig.texts()).toEqual([]);
  });

  test('port 0 sends nothing by UDP', async () => {
    const { clock, join, texts } = await rigWith('set broadcast.udp.port 0');
    await join();
    expect(texts()).toEqual([]);
    expect(clock.pending).toBe(1);
  });

  test('takes any source port when its own is taken', async () => {
    const { join, listener, module } = await rigWith();
    expect((await module.net.datagrams({ port }, () => {})).ok).toBe(true);
    await join();
    expect(listener.received).toHaveLength(1);
    expect(listener.received[0]?.port).not.toBe(port);
  });

  // MOD-VAR-broadcast.interface
  test('describes the soft AP when it runs there', async () => {
    const { pass, run, texts } = await rigWith(
      'set broadcast.interface softap',
      'set broadcast.data "ip,channel,ssid,rssi,bssid"',
    );
    await run('network_up -i softap');
    await pass(0);
    expect(texts()).toEqual(['{"ip":"10.10.10.1","channel":1,"ssid":"","rssi":0,"bssid":""}']);
  });

  test('ends with the network', async () => {
    const { clock, join, pass, run, texts } = await rigWith();
    await join();
    texts();
    await run('network_down');
    await pass(100_000);
    expect(texts()).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

/** A host that notes what is posted to it. */
async function postRig(answer: string | undefined, ...commands: readonly string[]) {
  const rig = await rigWith('set broadcast.data "mac,ip"', 'set broadcast.udp.port 0', ...commands);
  const requests: string[] = [];
  const net = rig.network.attach('status.example', '10.5.6.40');
  unwrap(
    await net.listen(8088, ({ stream }) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (!text.endsWith('}')) return;
        requests.push(text);
        if (answer !== undefined) stream.end(answer);
      });
    }),
  );
  return { ...rig, requests };
}

// MOD-VAR-broadcast.http.host
describe('status broadcast by HTTP', () => {
  test('posts the same object', async () => {
    const { join, module, pass, requests } = await postRig(
      'HTTP/1.1 204 No Content\r\n\r\n',
      'set broadcast.http.host status.example:8088/inbox',
    );
    await join();
    await pass(0);
    expect(requests).toHaveLength(1);
    const [head = '', body] = requests[0]?.split('\r\n\r\n') ?? [];
    expect(head).toMatch(/^POST \/inbox HTTP\/1\.1\r\n/);
    expect(head.toLowerCase()).toContain('\r\ncontent-type: application/json\r\n');
    expect(head.toLowerCase()).toContain('\r\nhost: status.example:8088\r\n');
    expect(body).toBe(`{"mac":"${module.identity.mac}","ip":"${moduleIp}"}`);
    await pass(10_000);
    expect(requests).toHaveLength(2);
  });

  test('does not pile up posts for a host that is silent', async () => {
    const { join, pass, requests } = await postRig(undefined, 'set broadcast.http.host status.example:8088');
    await join();
    await pass(29_000);
    expect(requests).toHaveLength(1);
    // After half a minute it is given up.
    await pass(20_000);
    expect(requests).toHaveLength(2);
  });

  test.each(['status.example:1', 'nobody.example', 'https://status.example:8088', ':::'])(
    'goes on when %s takes nothing',
    async (host) => {
      const { join, pass, said } = await postRig('nonsense', `set broadcast.http.host ${host}`);
      await join();
      await pass(30_000);
      expect(said().at(-1)).toBe('[Associated]');
    },
  );
});

test.each([
  ['status.example', { host: 'status.example', port: 80, secure: false, path: '/' }],
  ['status.example:8080', { host: 'status.example', port: 8080, secure: false, path: '/' }],
  ['http://10.0.0.1/a?b', { host: '10.0.0.1', port: 80, secure: false, path: '/a?b' }],
  ['https://status.example', { host: 'status.example', port: 443, secure: true, path: '/' }],
  ['HTTPS://status.example:8443/x', { host: 'status.example', port: 8443, secure: true, path: '/x' }],
  ['', undefined],
  ['ftp://status.example', undefined],
  ['status.example:0', undefined],
  ['status.example:65536', undefined],
  ['status.example:', undefined],
])('the host %j is read', (text, target) => expect(postTarget(text)).toEqual(target));
