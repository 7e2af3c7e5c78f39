import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from '@moorage/api';
import { ensureExample, must } from '../../packages/moorage/src/up/example.ts';
import { residentBytes } from '../harness.ts';

// A service and a fleet, each in a process; says what the fleet took, and ends with its input.
const [count = '10', timeoutS = '900'] = process.argv.slice(2);
const entry = new URL('../../packages/moorage/src/main.ts', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'moorage-bench-'));
const login = { username: 'owner@example.com', password: 'a long password' };

function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onEvent: (event: Event) => void,
  flags: readonly string[] = [],
): ChildProcess {
  const child = spawn(process.execPath, [...flags, entry, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
    onEvent(JSON.parse(line) as Event),
  );
  return child;
}

interface Event extends Readonly<Record<string, unknown>> {
  readonly event: string;
}

const ready = Promise.withResolvers<Event>();
const service = start(
  ['serve', '--data', folder, '--port', '0', '--device-port', '0'],
  { MOORAGE_ADMIN_EMAIL: login.username, MOORAGE_ADMIN_PASSWORD: login.password },
  (event) => event.event === 'ready' && ready.resolve(event),
);
const { api, devices } = await ready.promise;
const anonymous = createClient({ baseUrl: String(api) });
const { token } = must(await anonymous.call('auth.login', { body: login }));
const { product } = await ensureExample(anonymous.as(token), '4d4f4f52');

const startMs = performance.now();
const last = Promise.withResolvers<Event>();
const fleet = start(
  ['fleet', '--count', count, '--api', String(api), '--service', String(devices), '--product', product.product],
  { MOORAGE_TOKEN: token },
  (event) => {
    const isOver = event.updated === Number(count) || performance.now() - startMs > Number(timeoutS) * 1000;
    if (event.event === 'summary' && isOver) last.resolve(event);
  },
  // As the guide says for thousands.
  ['--max-semi-space-size=4'],
);
const { failures, troubles, updated } = await last.promise;
const seconds = (performance.now() - startMs) / 1000;
const bytes = await residentBytes(fleet.pid ?? 0);
console.log(JSON.stringify({ bytes, failures, seconds, troubles, updated }));

process.stdin.resume().once('end', () => {
  for (const child of [fleet, service]) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
