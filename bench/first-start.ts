import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { consoleHeader } from '@moorage/api';
import { type BrowserContext, chromium } from 'playwright-core';
import { type Benchmark, interleave } from './harness.ts';

const entry = fileURLToPath(new URL('../bin/moorage', import.meta.url));
const executablePath = '/usr/bin/chromium';
const rounds = 5;
const account = { email: 'bench@example.com', password: 'only for benchmarks' };

interface Started {
  readonly url: string;
  /** From the start of the process to the first update landed. */
  readonly updatedMs: number;
  stop(): Promise<void>;
}

/** The whole of `moorage up` in a new folder. */
async function startUp(): Promise<Started> {
  const data = await mkdtemp(join(tmpdir(), 'moorage-bench-'));
  const startMs = performance.now();
  const args = ['up', '--data', data, '--port', '0', '--device-port', '0', '--serial', 'none', '--json'];
  const env = { ...process.env, MOORAGE_ADMIN_EMAIL: account.email, MOORAGE_ADMIN_PASSWORD: account.password };
  const program = spawn(process.execPath, [entry, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => program.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    program.kill('SIGTERM');
    await ended;
    await rm(data, { recursive: true });
  };
  let url = '';
  for await (const line of createInterface({ input: program.stdout })) {
    const event = JSON.parse(line) as { readonly event: string; readonly console?: string };
    if (event.console !== undefined) url = event.console;
    if (event.event === 'updated') return { url, updatedMs: performance.now() - startMs, stop };
  }
  throw new Error('moorage ended before its module was updated');
}

/** A Node program that does nothing, in ms. */
async function emptyProgramMs(): Promise<number> {
  const startMs = performance.now();
  const program = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise((resolve) => program.once('close', resolve));
  return performance.now() - startMs;
}

export const firstStart: Benchmark = async () => {
  const upMs = async (): Promise<number> => {
    const started = await startUp();
    await started.stop();
    return started.updatedMs;
  };
  const pair = await interleave(rounds, upMs, emptyProgramMs);
  return [
    { label: '`moorage up` to the first update', beside: 'a Node program that does nothing', unit: 'ms', ...pair },
  ];
};

/** A browser window that is signed in to the console. */
async function signIn(context: BrowserContext, url: string): Promise<void> {
  const { email: username, password } = account;
  const headers = { [consoleHeader.name]: consoleHeader.value };
  const reply = await context.request.post(new URL('/api/auth/session', url).href, {
    data: { username, password },
    headers,
  });
  if (!reply.ok()) throw new Error(await reply.text());
}

/** Time until a page that is opened shows its heading, in ms. */
async function loadMs(context: BrowserContext, address: string, heading: string): Promise<number> {
  const page = await context.newPage();
  const startMs = performance.now();
  await page.goto(address, { waitUntil: 'commit' });
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  const spentMs = performance.now() - startMs;
  await page.close();
  return spentMs;
}

export const consoleLoad: Benchmark = async () => {
  if (!existsSync(executablePath)) {
    console.log('  skipped: no browser; install it with "apt-get install chromium"');
    return [];
  }
  const started = await startUp();
  const bare = createServer((_request, response) => response.end('<!doctype html><h1>Devices</h1>'));
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const address = bare.address();
  const bareUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const fresh = async (url: string, signed: boolean): Promise<number> => {
      const context = await browser.newContext();
      if (signed) await signIn(context, url);
      const spentMs = await loadMs(context, new URL('/devices', url).href, 'Devices');
      await context.close();
      return spentMs;
    };
    const pair = await interleave(
      rounds,
      () => fresh(started.url, true),
      () => fresh(bareUrl, false),
    );
    return [{ label: 'first page of the console', beside: 'a bare page', unit: 'ms', ...pair }];
  } finally {
    await browser.close();
    bare.close();
    await started.stop();
  }
};
