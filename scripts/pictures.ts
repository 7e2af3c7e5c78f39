/**
 * Takes the pictures of the README and of the console's guide, of the console and of a rehearsal's report: a service of its own with example
 * data, a virtual module, and Debian's browser; the dashboard and the list of devices are those of the fleet that the console is measured
 * with. Needs /usr/bin/chromium; takes about three minutes, half of which the example measures.
 *
 * Run: npm run pictures
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Client, consoleHeader, createClient, type ProductRecord, type Reply } from '@moorage/api';
import type { Result } from '@moorage/base';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { startPeer } from '../bench/harness.ts';
import { operatorAccount } from '../bench/peers/operator-data.ts';
import { root } from './support/project.ts';

const executablePath = '/usr/bin/chromium';
const folder = join(root, 'docs/pictures');
const viewport = { width: 1280, height: 800 };
/** The README is read over slow lines, too. */
const sizeLimitBytes = 200 * 1024;
/** How long the module measures before its chart is taken: shorter, and there is no curve to be seen. */
const measuringMs = 75_000;

const account = { email: 'harbour@example.com', password: 'only for pictures' };

/** The answer of a call that has to work. */
async function must<T>(call: Promise<Result<Reply<T>, { readonly body: { readonly message: string } }>>): Promise<T> {
  const result = await call;
  if (!result.ok) throw new Error(result.error.body.message);
  return result.value.value;
}

/** Starts service and module on free ports; the answer is where they are once the module runs the example's bundle. */
async function startMoorage(data: string) {
  const args = ['up', '--serial', 'none', '--data', data, '--port', '0', '--device-port', '0', '--json'];
  const env = { ...process.env, MOORAGE_ADMIN_EMAIL: account.email, MOORAGE_ADMIN_PASSWORD: account.password };
  const program = spawn(process.execPath, [join(root, 'bin/moorage'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => program.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    program.kill('SIGTERM');
    await ended;
  };
  let url = '';
  let uuid = '';
  for await (const line of createInterface({ input: program.stdout })) {
    if (!line.startsWith('{')) continue;
    const event = JSON.parse(line) as Readonly<Record<string, unknown>>;
    if (event.event === 'ready') [url, uuid] = [String(event.console), String(event.uuid)];
    if (event.event === 'updated') return { url, uuid, stop };
  }
  throw new Error('The example ended before its module was updated');
}

const places = [
  ['Hamburg', 'Germany', 53.54, 9.97],
  ['Rotterdam', 'Netherlands', 51.95, 4.14],
  ['Bergen', 'Norway', 60.39, 5.32],
  ['Halifax', 'Canada', 44.65, -63.57],
  ['Valparaíso', 'Chile', -33.04, -71.63],
  ['Cape Town', 'South Africa', -33.92, 18.42],
  ['Busan', 'South Korea', 35.1, 129.04],
  ['Auckland', 'New Zealand', -36.84, 174.77],
] as const;

/** Gives the module a place, and the fleet other devices that have not been switched on yet. */
async function addDevices(client: Client, uuid: string, product: ProductRecord): Promise<string> {
  const module = await must(client.call('devices.get', { params: { identifier: uuid } }));
  for (const [index, [city, country, lat, lon]] of places.entries()) {
    const known = index === 0 ? module : undefined;
    const body = { uuid: `${uuid.slice(0, 8)}${String(index).padStart(32, '0')}`, platform_id: product.platform_id };
    const { id: device_id } = known ?? (await must(client.call('devices.provision', { body })));
    const params = { device_id };
    const about = { title: `Gauge ${city}`, location: { lat, lon, city, country } };
    await must(client.call('devices.update', { params, body: about }));
  }
  return module.id;
}

/** Bundles in every state beside the one that is released, and one that is being tried out. */
async function addBundles(client: Client, { id: product_id }: ProductRecord): Promise<void> {
  const params = { product_id };
  const released = await must(client.call('bundles.byTag', { params: { product_id, tag: 'release' } }));
  const states = [
    ['0.9.0.0', 'archive'],
    ['1.1.0.0', 'published'],
    ['1.2.0.0', 'preview'],
    ['1.2.0.1', 'preview'],
  ] as const;
  for (const [version, state] of states) {
    const body = { product_id, firmware_id: released.firmware_id, version };
    const { id: bundle_id } = await must(client.call('bundles.create', { params, body }));
    for (const to of state === 'preview' ? [] : (['published', state] as const)) {
      await must(client.call('bundles.setState', { params: { bundle_id }, body: { state: to } }));
    }
    if (version === '1.1.0.0') {
      await must(client.call('bundles.setTag', { params: { bundle_id }, body: { tag: 'beta' } }));
    }
  }
}

/** A cookie of the console, as the browser has it after signing in. */
async function signIn(context: BrowserContext, url: string, { email, password }: typeof account): Promise<void> {
  const reply = await context.request.post(new URL('/api/auth/session', url).href, {
    headers: { [consoleHeader.name]: consoleHeader.value },
    data: { username: email, password },
  });
  if (!reply.ok()) throw new Error(`Signing in was answered ${reply.status()}`);
}

async function typeCommands(page: Page, lines: readonly string[]): Promise<void> {
  await page.getByRole('textbox', { name: 'Command line of the device' }).focus();
  for (const line of lines) {
    await page.keyboard.type(line);
    await page.keyboard.press('Enter');
    // The answer comes back over the message channel of the module.
    await wait(2_000);
  }
}

/** What a page needs before it is taken. */
interface Picture {
  readonly name: string;
  readonly path: string;
  readonly ready?: (page: Page) => Promise<unknown>;
  /** Of the window, in pixels, where the usual one cuts off what the picture is about. */
  readonly width?: number;
  readonly height?: number;
}

async function takeOne(
  page: Page,
  url: string,
  { name, path, ready, width = viewport.width, height = viewport.height }: Picture,
): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.goto(new URL(path, url).href);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('main .mantine-Loader-root, main .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  await ready?.(page);
  // What moves comes to rest: bars grow, charts are drawn.
  await wait(1_500);
  await shoot(page, name);
}

async function shoot(page: Page, name: string): Promise<void> {
  const file = join(folder, `${name}.png`);
  await page.screenshot({ path: file });
  const { size } = await stat(file);
  console.log(`${name}.png: ${(size / 1024).toFixed(0)} KiB`);
  if (size > sizeLimitBytes) throw new Error(`${name}.png is over ${sizeLimitBytes / 1024} KiB`);
}

/** Moves a page to its map, which is made when it is in sight, and back to its begin. */
async function seeMap(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Where devices are' }).scrollIntoViewIfNeeded();
  await page.locator('.leaflet-marker-icon').first().waitFor();
  await page.evaluate('scrollTo(0, 0)');
}

async function takePictures(url: string, user: typeof account, pictures: readonly Picture[]): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({ viewport, colorScheme: 'light', reducedMotion: 'reduce' });
    await signIn(context, url, user);
    const page = await context.newPage();
    for (const picture of pictures) await takeOne(page, url, picture);
  } finally {
    await browser.close();
  }
}

/** A rollout of which one run in three stops by itself. */
const gate = { done_percent: 90, soak_s: 7_200 };
const plan = {
  title: 'Spring',
  settings: {
    stages: [{ percent: 5, gate }, { percent: 30, gate }, {}],
    abort: [{ kind: 'any', percent: 20, min: 4, action: 'pause' }],
  },
};
const fleet = {
  groups: [
    { name: 'pier', share: 3, poll_s: 1_800 },
    {
      name: 'buoy',
      share: 1,
      poll_s: 7_200,
      link: { latency_ms: 300, lost_percent: 5 },
      failures: [{ version: '1.0.0.1', fault: 'does_not_boot', percent: 15 }],
    },
  ],
};

/** Rehearses a rollout, and takes the page that says what came of it. */
async function takeReport(data: string): Promise<void> {
  const rollout = join(data, 'plan.json');
  const scenario = join(data, 'fleet.json');
  const html = join(data, 'report.html');
  await Promise.all([writeFile(rollout, JSON.stringify(plan)), writeFile(scenario, JSON.stringify(fleet))]);
  const args = ['rehearse', '--rollout', rollout, '--scenario', scenario, '--html', html, '--devices', '60'];
  const program = spawn(process.execPath, [join(root, 'bin/moorage'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await new Promise((resolve) => program.once('close', resolve));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport, colorScheme: 'light' });
    await page.goto(pathToFileURL(html).href);
    await shoot(page, 'rehearsal');
  } finally {
    await browser.close();
  }
}

/** Takes the pages that say most of many devices. */
async function takeFleet(): Promise<void> {
  const peer = await startPeer('peers/operator.ts');
  try {
    await takePictures(String(peer.ready.api), operatorAccount, [
      { name: 'dashboard', path: '/', height: 1180, ready: seeMap },
      { name: 'devices', path: '/devices', width: 1440, height: 720 },
    ]);
  } finally {
    await peer.end();
  }
}

async function main(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const data = await mkdtemp(join(tmpdir(), 'moorage-pictures-'));
  const { url, uuid, stop } = await startMoorage(data);
  try {
    const anonymous = createClient({ baseUrl: url });
    const login = { username: account.email, password: account.password };
    const client = anonymous.as((await must(anonymous.call('auth.login', { body: login }))).token);
    const [product] = await must(client.call('products.list', { query: { q: 'TIDE_GAUGE' } }));
    if (!product) throw new Error('The example has no product');
    const device = await addDevices(client, uuid, product);
    await addBundles(client, product);
    await takeReport(data);
    await wait(measuringMs);
    await takeFleet();
    await takePictures(url, account, [
      { name: 'device-streams', path: `/devices/${device}/streams` },
      { name: 'bundle-board', path: `/products/${product.id}/bundles` },
      {
        name: 'device-console',
        path: `/devices/${device}/console`,
        ready: (page) => typeCommands(page, ['version', 'get wlan.auto_join.enabled', 'ls']),
      },
    ]);
  } finally {
    await stop();
    await rm(data, { recursive: true, force: true });
  }
}

await main();
