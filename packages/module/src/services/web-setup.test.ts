import { unwrap } from '@moorage/base';
import { blankQuery, readDns, writeDns } from '@moorage/net/dns/dns-message';
import { describe, expect, test } from 'vitest';
import { dhcpBytes, discover, readDhcpAnswer } from '../testing/dhcp-client.ts';
import { networkRig } from '../testing/network-rig.ts';
import { dhcpServerPort } from './dhcp-server.ts';
import { dnsPort } from './dns-server.ts';

const station = '02:00:00:AA:BB:CC';

async function rigWith(...commands: readonly string[]) {
  const rig = await networkRig();
  await rig.runAll('set ntp.enabled 0', 'set broadcast.interval 0', ...commands);
  /** A name, as a station of the setup network resolves it. */
  const resolve = async (name: string): Promise<string | undefined> => {
    const peer = await rig.peer('10.5.6.77', { port: 0 });
    const query = { ...blankQuery, questions: [{ name, type: 'A' }] };
    unwrap(await peer.socket.send(writeDns(query), '10.5.6.108', dnsPort));
    await rig.pass(0);
    const answer = peer.received[0] && readDns(peer.received[0].bytes)?.answers[0];
    return answer?.type === 'A' ? answer.data : undefined;
  };
  /** Types of the answers of the DHCP server to a discovery. */
  const offers = async (): Promise<readonly (string | undefined)[]> => {
    const peer = await rig.peer('10.5.6.78', { port: 0 });
    unwrap(await peer.socket.send(dhcpBytes(discover(station)), '255.255.255.255', dhcpServerPort));
    await rig.pass(0);
    return peer.received.map(({ bytes }) => readDhcpAnswer(bytes).ip);
  };
  const setup = async (): Promise<void> => {
    await rig.run('setup web');
    await rig.pass(1);
  };
  return { ...rig, offers, resolve, setup };
}

// MOD-CMD-setup
describe('setup web', () => {
  test('answers at once, then makes the setup network and says so', async () => {
    const { module, pass, run, said } = await rigWith();
    expect(await run('setup status')).toBe('0 0');
    expect(await run('setup web')).toBe('0 In progress');
    expect(said()).toEqual([]);
    expect(await run('setup status')).toBe('0 1');
    await pass(1);
    const lines = said();
    expect(lines[0]).toBe('IPv4 address: 10.10.10.1');
    expect(lines.at(-1)).toBe('Web setup started');
    expect(await run('setup status')).toBe('0 1');
    expect(module.webSetup.active).toBe(true);
  });

  // MOD-VAR-setup.web.ssid, MOD-VAR-setup.web.passkey
  test('has the name and the key of its variables', async () => {
    const { module, run, setup } = await rigWith(
      'set setup.web.ssid Harbour-#',
      'set setup.web.passkey "seven seas"',
      'set softap.ssid mine',
    );
    await setup();
    const digits = module.identity.mac.replaceAll(':', '').slice(-4);
    expect(module.wlan.softAp).toMatchObject({ ssid: `Harbour-${digits}`, secured: true });
    expect(await run('get softap.info')).toContain('Security: WPA2-AES');
    expect(module.wlan.stations.join(station, 'password')).toBe(false);
    expect(module.wlan.stations.join(station, 'seven seas')).toBe(true);
  });

  // MOD-VAR-setup.web.url, MOD-VAR-softap.dns_server.url, MOD-VAR-softap.dns_server.enabled
  test('has its DHCP and DNS servers whatever the variables of the soft AP say', async () => {
    const { offers, resolve, setup } = await rigWith(
      'set softap.dhcp_server.enabled 0',
      'set softap.dns_server.enabled 0',
      'set setup.web.url "setup.example,other.example"',
    );
    await setup();
    expect(await offers()).toEqual(['10.10.10.2']);
    expect(await resolve('other.example')).toBe('10.10.10.1');
    expect(await resolve('module.local')).toBeUndefined();
  });

  // MOD-VAR-setup.web.client_list
  test('lists the stations on its network, and none outside of web setup', async () => {
    const { module, run, setup } = await rigWith();
    const head = '! # MAC Address       IP Address';
    await run('network_up -i softap');
    module.wlan.stations.join(station);
    expect(await run('get setup.web.client_list')).toBe(`0 ${head}`);
    expect(await run('get softap.client_list')).toBe(`0 ${head}\r\n# 0 ${station} 0.0.0.0`);
    await setup();
    expect(await run('get setup.web.client_list')).toBe(`0 ${head}`);
    module.wlan.stations.join(station, 'password');
    expect(await run('get setup.web.client_list')).toBe(`0 ${head}\r\n# 0 ${station} 0.0.0.0`);
  });

  test('drops the link first, and joins again when it has been stopped', async () => {
    const { join, module, pass, run, said, setup } = await rigWith();
    await join();
    said();
    await setup();
    expect(said().slice(0, 2)).toEqual(['[Disassociated]', 'IPv4 address: 10.10.10.1']);
    expect(module.wlan.isUp('wlan')).toBe(false);
    expect(await run('setup stop')).toBe('0 Success');
    expect(await run('setup status')).toBe('0 0');
    await pass(1);
    expect(said()).toEqual([
      '[Associating to harbour-open]',
      'Obtaining IPv4 address via DHCP',
      'IPv4 address: 10.5.6.108',
      '[Associated]',
    ]);
    expect(module.wlan.isUp('softap')).toBe(false);
  });

  test('stops once only, and harmlessly when it does not run', async () => {
    const { run, said, setup } = await rigWith();
    expect(await run('setup stop')).toBe('0 Success');
    await setup();
    await setup();
    expect(said().filter((line) => line === 'Web setup started')).toHaveLength(1);
    expect(await run('setup stop')).toBe('0 Success');
    expect(await run('setup stop')).toBe('0 Success');
  });

  test('stopped before it has begun it does not begin', async () => {
    const { pass, run, said } = await rigWith();
    await run('setup web');
    await run('setup stop');
    await pass(1000);
    expect(said()).toEqual([]);
    expect(await run('setup status')).toBe('0 0');
  });

  test('takes the place of the soft AP, which comes back if it starts by itself', async () => {
    const { module, run, setup } = await rigWith('set softap.ssid mine');
    await run('network_up -i softap');
    await setup();
    expect(module.wlan.softAp?.ssid).not.toBe('mine');
    await run('setup stop');
    expect(module.wlan.softAp).toBeUndefined();
    await run('set softap.auto_start 1');
    await setup();
    await run('setup stop');
    expect(module.wlan.softAp?.ssid).toBe('mine');
  });

  // MOD-VAR-setup.web.idle_timeout
  test('ends by itself when no client opens the page', async () => {
    const { join, module, pass, said, setup } = await rigWith('set setup.web.idle_timeout 60');
    await join();
    await setup();
    said();
    await pass(59_998);
    expect(module.webSetup.active).toBe(true);
    await pass(3);
    expect(module.webSetup.active).toBe(false);
    expect(said()[0]).toBe('[Associating to harbour-open]');
  });

  test('stays when a client has opened the page', async () => {
    const { module, pass, setup } = await rigWith();
    await setup();
    module.webSetup.pageOpened();
    await pass(1_000_000);
    expect(module.webSetup.active).toBe(true);
  });

  test('an idle timeout of 0 is never', async () => {
    const { module, pass, setup } = await rigWith('set setup.web.idle_timeout 0');
    await setup();
    await pass(1_000_000);
    expect(module.webSetup.active).toBe(true);
  });

  test('ends with its network and with a reboot', async () => {
    const { clock, module, run, setup } = await rigWith();
    await setup();
    await run('network_down -i softap');
    expect(module.webSetup.status).toBe(0);
    await setup();
    await module.reboot();
    expect(module.webSetup.status).toBe(0);
    await run('setup web');
    await module.reboot();
    await clock.advance(1000);
    expect(module.webSetup.status).toBe(0);
  });

  test('without a name says so and is over', async () => {
    const { run, said, setup } = await rigWith('set setup.web.ssid ""');
    await setup();
    expect(said()).toEqual(['SSID not set']);
    expect(await run('setup status')).toBe('0 0');
  });

  // MOD-VAR-setup.gpio.control_gpio
  test('begins when the setup pin is held for three seconds after a reset', async () => {
    const { module, pass, run } = await rigWith('set setup.gpio.control_gpio 5', 'save');
    module.pins.drive(5, 1);
    await module.reset();
    await pass(2_999);
    expect(module.webSetup.active).toBe(false);
    await pass(2);
    expect(module.webSetup.active).toBe(true);
    expect(await run('setup status')).toBe('0 1');
  });
});
