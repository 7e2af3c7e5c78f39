import { unwrap } from '@moorage/base';
import { afterEach, expect, test } from 'vitest';
import { farPort, type SocketRig, socketRig } from '../testing/socket-rig.ts';

// MOD-VAR-ioconn.enabled, MOD-VAR-ioconn.control_gpio, MOD-VAR-ioconn.status_gpio, MOD-VAR-ioconn.remote_host,
// MOD-VAR-ioconn.remote_port, MOD-VAR-ioconn.local_port, MOD-VAR-ioconn.protocol

let rig: SocketRig;
afterEach(() => rig.close());

const [controlPin, statusPin] = [20, 21];
const opening = [`[Opening: far.test:${farPort}]`, `Connecting (TCP): far.test:${farPort}`];

/** A module whose pins drive a connection, after the boot at which they begin to. */
async function driven(values: Readonly<Record<string, string | number>> = {}): Promise<void> {
  rig = await socketRig();
  const settings = {
    enabled: 1,
    remote_host: 'far.test',
    remote_port: farPort,
    control_gpio: controlPin,
    status_gpio: statusPin,
    ...values,
  };
  for (const [name, value] of Object.entries(settings)) {
    expect(await rig.run(`set ioconn.${name} ${value}`)).toBe('0 Set OK');
  }
  await rig.run('set tcp.client.retries 1');
  await rig.run('save');
  await rig.until(rig.module.reboot());
  unwrap(await rig.until(rig.module.wlan.ensureUp()));
  await rig.said();
}

const drive = async (level: 0 | 1): Promise<readonly string[]> => {
  rig.module.pins.drive(controlPin, level);
  return rig.said();
};
const status = (): number => rig.module.pins.level(statusPin);

test('a pin opens the connection when it is asserted, and closes it when it is released', async () => {
  await driven();
  const { accepted } = await rig.serve();
  expect(status()).toBe(0);
  expect(await drive(1)).toEqual([...opening, '[Opened: 0]']);
  expect([accepted.length, status()]).toEqual([1, 1]);
  expect(await drive(0)).toEqual(['Closing: 0', '[Closed: 0]']);
  expect(status()).toBe(0);
});

test('a connection that the other side closes stays away until the pin is asserted again', async () => {
  await driven();
  const { accepted } = await rig.serve();
  await drive(1);
  accepted[0]?.stream.end();
  expect(await rig.said()).toEqual(['[Closed: 0]']);
  await rig.clock.advance(60_000);
  expect([await rig.said(), status()]).toEqual([[], 0]);
  await drive(0);
  expect(await drive(1)).toContain('[Opened: 0]');
});

test('a server that is not there leaves the status pin low', async () => {
  await driven();
  expect(await drive(1)).toEqual([...opening, 'Connection refused', '[Open failed]']);
  expect(status()).toBe(0);
  expect(await drive(0)).toEqual([]);
});

test('a pin that is asserted at the boot counts, and the network is brought up for it', async () => {
  await driven();
  await rig.serve();
  rig.module.pins.drive(controlPin, 1);
  await rig.until(rig.module.reboot());
  unwrap(await rig.until(rig.module.wlan.ensureUp()));
  expect(await rig.said()).toContain('[Opened: 0]');
});

test('UDP and a local port are possible, and a pin without a host does nothing', async () => {
  await driven({ protocol: 'udp', local_port: 50_123 });
  expect(await drive(1)).toEqual([opening[0], '[Opened: 0]']);
  expect(await rig.run('list 0')).toBe(`0 UDPC  far.test:${farPort} (50123)`);
  await drive(0);
  await rig.run('set ioconn.remote_port 0');
  expect(await drive(1)).toEqual([]);
});

test('nothing is watched while the feature is off', async () => {
  await driven({ enabled: 0 });
  await rig.serve();
  expect(await drive(1)).toEqual([]);
});
