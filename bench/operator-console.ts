import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { consoleHeader } from '@moorage/api';
import { type BrowserContext, chromium } from 'playwright-core';
import { type Benchmark, type Finding, interleave, median, type Peer, startPeer } from './harness.ts';
import { operatorAccount, operatorCounts } from './operator-data.ts';
import { startBarePeer } from './service-peer.ts';

const requestsPerRound = 15;
const rounds = 3;
const executablePath = '/usr/bin/chromium';
const dayMs = 86_400_000;

type Kind = 'sqlite' | 'postgres';

interface Operator {
  readonly api: string;
  readonly token: string;
  readonly productId: string;
}

/** What the console asks for, and the most that it may take, in ms. */
const calls = (nowMs: number) =>
  [
    { label: 'page of 50 devices', path: '/api/devices?limit=50', atMost: 150 },
    { label: 'devices whose update failed', path: '/api/devices?limit=50&standing=failed', atMost: 150 },
    { label: 'dashboard: fleet', path: '/api/metrics/fleet', atMost: 100 },
    { label: 'dashboard: status', path: '/api/user/status', atMost: 100 },
    { label: 'dashboard: places', path: '/api/metrics/locations/places', atMost: 100 },
    {
      label: 'dashboard: activity of a month',
      path: `/api/metrics/activity?interval=day&from=${nowMs - 30 * dayMs}`,
      atMost: 100,
    },
    {
      label: 'dashboard: activity of a year',
      path: `/api/metrics/activity?interval=week&from=${nowMs - 365 * dayMs}`,
      atMost: 100,
    },
    { label: 'log search with many hits', path: '/api/logs?limit=50&q=halifax', atMost: 100 },
    { label: 'log search with no hit', path: '/api/logs?limit=50&q=nosuchword', atMost: 100 },
  ] as const;

async function timeOf(url: string, init: RequestInit): Promise<number> {
  const times: number[] = [];
  for (let request = 0; request < requestsPerRound; request++) {
    const startMs = performance.now();
    const response = await fetch(url, init);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - startMs);
  }
  return median(times);
}

async function callFindings({ api, token }: Operator): Promise<Finding[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const findings: Finding[] = [];
  for (const { label, path, atMost } of calls(Date.now())) {
    const text = await (await fetch(api + path, { headers })).text();
    const bare = await startBarePeer({ text });
    const pair = await interleave(
      rounds,
      () => timeOf(api + path, { headers }),
      () => timeOf(`http://127.0.0.1:${bare.ready.port}`, {}),
    );
    await bare.stop();
    findings.push({ label, beside: 'node:http, the same bytes', unit: 'ms', ...pair, limit: { atMost } });
  }
  return findings;
}

/** One value that is measured once. */
const single = (label: string, unit: string, value: number, atMost: number): Finding => ({
  label,
  beside: 'itself',
  unit,
  ours: [value],
  theirs: [value],
  limit: { atMost },
});

/** Bytes of the API that a page asks for while it opens, and the longest task of its window in ms. */
async function openPage(context: BrowserContext, url: string, heading: string) {
  const page = await context.newPage();
  let bytes = 0;
  page.on('response', async (response) => {
    if (!response.url().includes('/api/') || response.url().includes('/api/events')) return;
    bytes += (await response.body().catch(() => Buffer.alloc(0))).length;
  });
  await page.addInitScript(`
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask', buffered: true });`);
  await page.goto(url);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await page.waitForLoadState('networkidle').catch(() => {});
  const longestMs = Number(await page.evaluate('window.longest'));
  await page.close();
  return { bytes, longestMs };
}

/** Tags every device from the console: from the click until all of them are done, in ms, and the rows that the log has for it. */
async function tagAll(context: BrowserContext, { api, token }: Operator) {
  const rowsOfLog = async (): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await fetch(`${api}/api/logs?type=device.tag&limit=1`, { headers });
    return Number(reply.headers.get('x-total-count'));
  };
  const before = await rowsOfLog();
  const all = operatorCounts.devices.toLocaleString('en');
  const page = await context.newPage();
  await page.goto(`${api}/devices`);
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  await page.getByRole('button', { name: `Select all ${all} that fit the filters` }).click();
  await page.getByRole('button', { name: 'Tag …' }).click();
  await page.getByRole('dialog').getByRole('combobox', { name: 'Tag' }).click();
  await page.getByRole('option', { name: 'alpha' }).click();
  const startMs = performance.now();
  await page.getByRole('button', { name: `Tag ${all} devices` }).click();
  await page.getByText(`${all} of ${all} devices`, { exact: true }).waitFor();
  const spentMs = performance.now() - startMs;
  await page.close();
  return { spentMs, rows: (await rowsOfLog()) - before };
}

async function pageFindings(context: BrowserContext, api: string): Promise<Finding[]> {
  // The first page brings the scripts.
  await openPage(context, `${api}/devices`, 'Devices');
  const devices = await openPage(context, `${api}/devices`, 'Devices');
  const dashboard = await openPage(context, `${api}/`, 'Dashboard');
  return [
    single('devices: longest task of the window', 'ms', devices.longestMs, 100),
    single('dashboard: longest task of the window', 'ms', dashboard.longestMs, 100),
    single('dashboard: data of the API', 'KiB', dashboard.bytes / 1024, 100),
  ];
}

async function browserFindings(operator: Operator, kind: Kind): Promise<Finding[]> {
  if (!existsSync(executablePath)) return [];
  const { api } = operator;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const { email: username, password } = operatorAccount;
    await context.request.post(`${api}/api/auth/session`, {
      data: { username, password },
      headers: { [consoleHeader.name]: consoleHeader.value },
    });
    const pages = kind === 'sqlite' ? await pageFindings(context, api) : [];
    const tagged = await tagAll(context, operator);
    return [
      ...pages,
      single(`${kind}: all devices are tagged`, 'ms', tagged.spentMs, 3_000),
      // One for the devices of a product and an owner, which are many here.
      single(`${kind}: rows of the log for it`, 'rows', tagged.rows, operatorCounts.devices - 1),
    ];
  } finally {
    await browser.close();
  }
}

async function measure(kind: Kind): Promise<Finding[]> {
  const peer: Peer = await startPeer('peers/operator.ts', kind === 'postgres' ? [kind] : []);
  // Written by that very script.
  const operator = peer.ready as unknown as Operator;
  console.log(
    `  load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
  const calls = kind === 'sqlite' ? await callFindings(operator) : [];
  const findings = [...calls, ...(await browserFindings(operator, kind))];
  await peer.end();
  return findings;
}

export const operatorConsole: Benchmark = {
  name: 'operator-console',
  goal: '5,001 devices, 102 products, 319 bundles, 200,045 log rows: a page of devices under 150 ms, calls of the dashboard and a log search under 100 ms, dashboard under 100 KiB, no task of the window over 100 ms, all devices tagged within 3 s',
  run: async () => [...(await measure('sqlite')), ...(await measure('postgres'))],
};
