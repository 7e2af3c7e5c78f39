import { VirtualClock } from '@moorage/base';
import type { Net } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import { nodeNet } from '@moorage/net/node';
import { loopback } from '@moorage/net/testing/nets';
import { describe, expect, test } from 'vitest';
import { moduleRig } from '../testing/module-rig.ts';

function memoryNet(): Net {
  const network = new MemoryNetwork(new VirtualClock());
  network.attach('localhost', '127.0.0.1');
  return network.attach('module', '127.0.0.9');
}

/** Both nets answer alike. */
const nets: readonly { readonly name: string; readonly make: () => Net }[] = [
  { name: 'memory', make: memoryNet },
  { name: 'node', make: () => nodeNet({ ...loopback, ip: '127.0.0.9' }) },
];

/** Spec: MOD-CMD-network_lookup, MOD-CMD-ping. */
describe.each(nets)('hosts over the $name net', ({ make }) => {
  async function rig() {
    const made = await moduleRig({ net: make() });
    made.logged();
    return made;
  }

  // Spec: MOD-NET-auto-up.
  test('network_lookup joins and answers with the address', async () => {
    const { logged, run } = await rig();
    await run('set wlan.ssid harbour-open');
    expect(await run('network_lookup localhost')).toBe('0 127.0.0.1');
    expect(logged()).toEqual([
      '[Associating to harbour-open]',
      'Security type from probe: Open',
      'Obtaining IPv4 address via DHCP',
      'IPv4 address: 127.0.0.9',
      '[Associated]',
    ]);
    expect(await run('nlo nowhere.invalid')).toBe('1 Command failed');
    expect(logged()).toEqual(['Host not found: nowhere.invalid']);
  });

  test('ping answers with a time, and says so when a host does not exist', async () => {
    const { logged, run } = await rig();
    await run('set wlan.ssid harbour-open');
    expect(await run('ping localhost')).toMatch(/^0 Ping reply in \d+ms$/);
    expect(logged().at(-1)).toBe('[Associated]');
    for (const line of ['ping 127.0.0.1', 'ping -i wlan localhost'])
      expect(await run(line)).toMatch(/^0 Ping reply in \d+ms$/);
    expect(await run('ping nowhere.invalid')).toBe('1 Command failed');
    expect(logged()).toEqual(['Ping failed']);
  });

  test('without a network neither has a server to ask', async () => {
    const { logged, run } = await rig();
    for (const line of ['nlo localhost', 'ping localhost', 'ping']) {
      expect(await run(line)).toBe('1 Command failed');
      expect(logged()).toEqual(['SSID not set']);
    }
  });

  test('an interface without a gateway has none to ping', async () => {
    const { logged, run } = await rig();
    for (const line of ['set wlan.ssid harbour-open', 'set network.dhcp.enabled 0', 'set static.ip 127.0.0.9'])
      await run(line);
    expect(await run('ping -g')).toBe('1 Command failed');
    expect(logged().at(-1)).toBe('Ping failed');
  });
});
