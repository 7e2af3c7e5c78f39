import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasProgram } from './interop.ts';
import { type CabledHosts, cabledHosts, NamespaceModule, namespaceObstacle } from './namespaces.ts';

const reason = namespaceObstacle();

/** Prints what the client has been given, and does not touch the interface: the namespace has no other use. */
const udhcpcScript = '#!/bin/sh\n[ "$1" = bound ] && echo "$ip $subnet $router $dns $lease $serverid"\nexit 0\n';

/** Prints what dhclient has been given, and gives the interface that address. */
const dhclientScript = `#!/bin/sh
echo "$reason $new_ip_address $new_subnet_mask $new_routers $new_domain_name_servers $new_dhcp_lease_time"
[ "$reason" = BOUND ] && ip addr replace "$new_ip_address/24" dev "$interface"
exit 0
`;

/** What dhclient still believes of a network that it has left. */
const foreignLease = `lease {
  interface "sta0";
  fixed-address 192.168.77.5;
  option subnet-mask 255.255.255.0;
  option dhcp-lease-time 86400;
  option dhcp-message-type 5;
  option dhcp-server-identifier 192.168.77.1;
  renew never;
  rebind never;
  expire never;
}
`;

// MOD-RULE-dhcp-server
describe.skipIf(reason !== '')(`the soft AP and a client${reason && ` (skipped: ${reason})`}`, () => {
  let folder = '';
  let hosts: CabledHosts;
  let module: NamespaceModule;
  const on = (...words: readonly string[]) => hosts.client.run(...words);
  const file = (name: string): string => join(folder, name);
  const dhclient = (...words: readonly string[]) =>
    on('dhclient', '-4', '-v', '-lf', file('leases'), '-pf', file('pid'), '-sf', file('dhclient'), ...words, 'sta0');
  const renumber = async (mac: string): Promise<void> => {
    await on('ip', 'addr', 'flush', 'dev', 'sta0');
    await on('ip', 'link', 'set', 'sta0', 'down');
    await on('ip', 'link', 'set', 'sta0', 'address', mac);
    await on('ip', 'link', 'set', 'sta0', 'up');
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'moorage-dhcp-'));
    writeFileSync(file('udhcpc'), udhcpcScript);
    writeFileSync(file('dhclient'), dhclientScript);
    for (const name of ['udhcpc', 'dhclient']) chmodSync(file(name), 0o755);
    hosts = await cabledHosts('10.10.10.1');
    module = new NamespaceModule(hosts.module, '10.10.10.1');
    await module.runAll('set broadcast.interval 0', 'set softap.static.ip 10.10.10.1', 'nup -i softap');
  });

  afterAll(async () => {
    await module?.close();
    rmSync(folder, { recursive: true });
    await hosts?.close();
  });

  test.skipIf(!hasProgram('udhcpc'))('udhcpc gets an address, and the module knows of it', async () => {
    const text = await on('udhcpc', '-i', 'sta0', '-f', '-n', '-q', '-t', '5', '-T', '1', '-s', file('udhcpc'));
    expect(text).toContain('10.10.10.2 255.255.255.0 10.10.10.1 10.10.10.1 3600 10.10.10.1');
    await expect.poll(() => module.log.join('\n')).toMatch(/\[Associated: ([0-9A-F]{2}:){5}[0-9A-F]{2}\]/);
  });

  test.skipIf(!hasProgram('busybox'))('nslookup of busybox resolves the module’s name', async () => {
    await on('ip', 'addr', 'replace', '10.10.10.2/24', 'dev', 'sta0');
    expect(await on('busybox', 'nslookup', 'module.local', '10.10.10.1')).toMatch(
      /Name:\s+module\.local\s+Address[^\n]*10\.10\.10\.1/,
    );
  });

  describe.skipIf(!hasProgram('dhclient'))('dhclient', () => {
    test('with a lease of another network is refused that address at once, gets one, and gives it back', async () => {
      await renumber('02:00:00:00:00:99');
      writeFileSync(file('leases'), foreignLease);
      const text = await dhclient('-1');
      expect(text).toContain('DHCPNAK from 10.10.10.1');
      expect(text).toMatch(/BOUND 10\.10\.10\.\d+ 255\.255\.255\.0 10\.10\.10\.1 10\.10\.10\.1 3600/);
      await expect.poll(() => module.log).toContain('[Associated: 02:00:00:00:00:99]');
      // The second time it has its lease, and asks for that.
      expect(await dhclient('-x')).toBeDefined();
      const again = await dhclient('-1');
      expect(again).not.toContain('DHCPDISCOVER');
      expect(again).toMatch(/bound to 10\.10\.10\.\d+/);
      expect(await dhclient('-r')).toContain('DHCPRELEASE');
      await expect.poll(() => module.log).toContain('[Disassociated: 02:00:00:00:00:99]');
    });
  });

  test.skipIf(!hasProgram('dig')).each([
    ['module.local', 'A', 'NOERROR', /module\.local\.\s+60\s+IN\s+A\s+10\.10\.10\.1/],
    ['MODULE.local', 'ANY', 'NOERROR', /\sIN\s+A\s+10\.10\.10\.1/],
    ['module.local', 'AAAA', 'NOERROR', /ANSWER: 0,/],
    ['pier.example', 'A', 'NXDOMAIN', /ANSWER: 0,/],
  ])('dig asks for %s %s', async (name, type, status, expected) => {
    await on('ip', 'addr', 'replace', '10.10.10.2/24', 'dev', 'sta0');
    const text = await on('dig', '@10.10.10.1', '+notcp', '+tries=1', '+time=3', '-t', type, name);
    expect(text).toContain(`status: ${status}`);
    expect(text).toMatch(expected);
    // What dig finds wrong with an answer.
    expect(text).not.toMatch(/WARNING: (?!\.local)|mismatch|bad packet|FORMERR/);
  });

  // MOD-VAR-softap.max_clients
  test.skipIf(!hasProgram('udhcpc'))('a network that is full does not answer another udhcpc', async () => {
    const ask = async (last: string): Promise<string> => {
      await renumber(`02:00:00:00:01:0${last}`);
      return on('udhcpc', '-i', 'sta0', '-f', '-n', '-q', '-t', '2', '-T', '1', '-s', file('udhcpc'));
    };
    const [first, second, third] = [await ask('1'), await ask('2'), await ask('3')];
    expect(first).toContain(' obtained from 10.10.10.1');
    // The one of the first test is still there.
    expect(second).toContain(' obtained from 10.10.10.1');
    expect(third).toContain('no lease, failing');
    expect((await module.run('get softap.client_list')).split('\r\n').length).toBe(4);
  });
});
