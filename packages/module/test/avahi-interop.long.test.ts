import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Background, hasProgram, missingProgram } from './interop.ts';
import { type CabledHosts, cabledHosts, NamespaceModule, namespaceObstacle } from './namespaces.ts';

const reason =
  namespaceObstacle() ||
  missingProgram('avahi-daemon', 'avahi-browse', 'avahi-publish', 'avahi-resolve', 'dbus-daemon');

/** A bus on which everything is allowed, for this test alone. */
const busConfig = (folder: string): string => `<busconfig>
  <type>session</type>
  <listen>unix:path=${folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

const avahiConfig = `[server]
host-name=harbour
use-ipv6=no
allow-interfaces=sta0
enable-dbus=yes
[wide-area]
enable-wide-area=no
[publish]
publish-workstation=no
publish-hinfo=no
[rlimits]
`;

// MOD-RULE-mdns
describe.skipIf(reason !== '')(`mDNS beside avahi${reason && ` (skipped: ${reason})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-avahi-'));
  const programs: Background[] = [];
  let hosts: CabledHosts;
  let module: NamespaceModule;
  const bus = `DBUS_SYSTEM_BUS_ADDRESS=unix:path=${folder}/bus`;
  const ask = (...words: readonly string[]) => hosts.client.run('env', bus, ...words);
  const start = async (ready: RegExp, ...words: readonly string[]): Promise<Background> => {
    const program = await hosts.client.background(ready, 'env', bus, ...words);
    programs.push(program);
    return program;
  };

  beforeAll(async () => {
    writeFileSync(join(folder, 'bus.conf'), busConfig(folder));
    writeFileSync(join(folder, 'avahi.conf'), avahiConfig);
    hosts = await cabledHosts('10.20.30.1');
    await hosts.client.run('ip', 'addr', 'add', '10.20.30.2/24', 'dev', 'sta0');
    await hosts.client.run('ip', 'route', 'add', 'default', 'dev', 'sta0');
    await start(/unix:path/, 'dbus-daemon', `--config-file=${folder}/bus.conf`, '--nofork', '--print-address=1');
    // Its files have their places in /run, which is its own here.
    const daemon = `mount -t tmpfs none /run && mkdir -p /run/avahi-daemon && exec avahi-daemon -f ${folder}/avahi.conf --no-drop-root --no-chroot --no-rlimits`;
    await start(/Server startup complete/, 'unshare', '--mount', 'sh', '-c', daemon);
    module = new NamespaceModule(hosts.module, '10.20.30.1');
    await module.runAll(
      'set broadcast.interval 0',
      'set mdns.enabled 1',
      'set mdns.name harbour',
      'set mdns.service http,telnet,_chart._udp',
      'set wlan.ssid harbour-open',
      'network_up',
    );
    await vi.waitFor(() => expect(module.log).toContain('mDNS domain: harbour-2.local'), 10_000);
  });

  afterAll(async () => {
    await module?.close();
    for (const program of programs.reverse()) await program.stop();
    await hosts?.close();
    rmSync(folder, { recursive: true });
  });

  test('the module leaves avahi its name, and is found by another', async () => {
    expect(await ask('avahi-resolve', '-4', '-n', 'harbour-2.local')).toBe('harbour-2.local\t10.20.30.1\n');
    expect(await ask('avahi-resolve', '-4', '-n', 'harbour.local')).toBe('harbour.local\t10.20.30.2\n');
    expect(await module.run('network_lookup harbour.local')).toBe('0 10.20.30.2');
  });

  // MOD-VAR-mdns.service
  test('avahi-browse finds the services with their places and texts', async () => {
    const lines = (await ask('avahi-browse', '--all', '--resolve', '--terminate', '--parsable')).split('\n');
    const services = lines.filter((line) => line.startsWith('=')).map((line) => line.split(';').slice(3, 9));
    expect(services.sort()).toEqual([
      ['harbour-2', 'Telnet Remote Terminal', 'local', 'harbour-2.local', '10.20.30.1', '2000'],
      ['harbour-2', 'Web Site', 'local', 'harbour-2.local', '10.20.30.1', '80'],
      ['harbour-2', '_chart._udp', 'local', 'harbour-2.local', '10.20.30.1', '0'],
    ]);
    expect(lines.join('\n')).toMatch(/"uuid=[0-9A-F]{40}" "mac=([0-9A-F]{2}:){5}[0-9A-F]{2}"/);
  });

  test('avahi leaves the module its name, and both services are discovered', async () => {
    await start(/Established under name 'harbour-2 #2'/, 'avahi-publish', '-s', 'harbour-2', '_http._tcp', '8080');
    expect((await module.run('mdns_discover http')).split('\r\n').slice(2)).toEqual([
      '# 0 harbour-2                        10.20.30.1      80',
      '# 1 harbour-2 #2                     10.20.30.2      8080',
    ]);
  });

  test.skipIf(!hasProgram('dig'))('dig, which knows only plain DNS, is answered', async () => {
    const text = await ask('dig', '@10.20.30.1', '-p', '5353', '+notcp', '+tries=1', '+time=3', 'harbour-2.local');
    expect(text).toMatch(/harbour-2\.local\.\s+10\s+IN\s+A\s+10\.20\.30\.1/);
  });

  test('avahi forgets the module at once when it leaves', async () => {
    const watching = await start(/\+;sta0;IPv4;harbour-2;/, 'avahi-browse', '--parsable', '_http._tcp');
    await module.runAll('network_down');
    await expect.poll(watching.said).toContain('-;sta0;IPv4;harbour-2;');
  });
});
