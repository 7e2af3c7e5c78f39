import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasProgram, output } from './interop.ts';

const names = { module: `moorage-${process.pid}-a`, client: `moorage-${process.pid}-b` };
const ip = (...words: readonly string[]): number | null => spawnSync('ip', words, { stdio: 'ignore' }).status;
const inside = (namespace: string, ...words: readonly string[]) => ['netns', 'exec', namespace, ...words];

/** Why there can be no client in a network of its own; empty when there can. */
function obstacle(): string {
  if (!hasProgram('ip')) return 'ip is not there';
  if (!hasProgram('udhcpc')) return 'udhcpc is not there';
  const made = ip('netns', 'add', names.module) === 0 && ip('netns', 'add', names.client) === 0;
  const wired =
    made &&
    ip('link', 'add', 'ap0', 'netns', names.module, 'type', 'veth', 'peer', 'name', 'sta0', 'netns', names.client) ===
      0;
  return wired ? '' : 'network namespaces are not allowed';
}

const reason = obstacle();
const removeNamespaces = (): void => {
  for (const name of Object.values(names)) ip('netns', 'del', name);
};

/** Prints what the client has been given, and does not touch the interface: the namespace has no other use. */
const script = '#!/bin/sh\n[ "$1" = bound ] && echo "$ip $subnet $router $dns $lease $serverid"\nexit 0\n';

// MOD-RULE-dhcp-server
describe(`DHCP and DNS servers beside udhcpc in a network namespace${reason && ` (skipped: ${reason})`}`, () => {
  let folder = '';
  let module: ChildProcess | undefined;
  let said = '';

  beforeAll(async () => {
    if (reason !== '') return;
    folder = mkdtempSync(join(tmpdir(), 'moorage-dhcp-'));
    writeFileSync(join(folder, 'bound'), script);
    chmodSync(join(folder, 'bound'), 0o755);
    ip('-n', names.module, 'addr', 'add', '10.10.10.1/24', 'dev', 'ap0');
    ip('-n', names.module, 'link', 'set', 'ap0', 'up');
    // Answers to all have to go somewhere.
    ip('-n', names.module, 'route', 'add', 'default', 'dev', 'ap0');
    ip('-n', names.client, 'link', 'set', 'sta0', 'up');
    const program = fileURLToPath(new URL('soft-ap-module.ts', import.meta.url));
    const started = spawn('ip', inside(names.module, process.execPath, program, '10.10.10.1'));
    module = started;
    await new Promise<void>((resolve, reject) => {
      started.once('close', () => reject(new Error(said)));
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('nup -i softap: Success')) resolve();
        });
      }
    });
  });

  afterAll(async () => {
    const ended = module && new Promise((resolve) => module?.once('close', resolve));
    module?.stdin?.end();
    await ended;
    if (folder) rmSync(folder, { recursive: true });
    removeNamespaces();
  });

  test.skipIf(reason !== '')('a client gets an address, and the module hears of it', async () => {
    const text = await output(
      'ip',
      inside(names.client, 'udhcpc', '-i', 'sta0', '-f', '-n', '-q', '-t', '5', '-T', '1', '-s', join(folder, 'bound')),
      20_000,
    );
    expect(text).toContain('10.10.10.2 255.255.255.0 10.10.10.1 10.10.10.1 3600 10.10.10.1');
    await expect.poll(() => said).toMatch(/\[Associated: ([0-9A-F]{2}:){5}[0-9A-F]{2}\]/);
  });

  test.skipIf(reason !== '' || !hasProgram('busybox'))('the client resolves the module’s name', async () => {
    ip('-n', names.client, 'addr', 'add', '10.10.10.2/24', 'dev', 'sta0');
    const text = await output('ip', inside(names.client, 'busybox', 'nslookup', 'module.local', '10.10.10.1'));
    expect(text).toMatch(/Name:\s+module\.local\s+Address[^\n]*10\.10\.10\.1/);
  });

  test.skipIf(reason !== '' || !hasProgram('dhclient'))('another client gets its own address', async () => {
    const leases = join(folder, 'leases');
    ip('-n', names.client, 'link', 'set', 'sta0', 'down');
    ip('-n', names.client, 'link', 'set', 'sta0', 'address', '02:00:00:00:00:99');
    ip('-n', names.client, 'link', 'set', 'sta0', 'up');
    const text = await output(
      'ip',
      inside(
        names.client,
        'dhclient',
        '-4',
        '-1',
        '-d',
        '-v',
        '-lf',
        leases,
        '-pf',
        join(folder, 'pid'),
        '-sf',
        '/bin/true',
        'sta0',
      ),
      4_000,
    );
    expect(text).toMatch(/bound to 10\.10\.10\.3/);
    expect(said).toContain('[Associated: 02:00:00:00:00:99]');
  });
});
