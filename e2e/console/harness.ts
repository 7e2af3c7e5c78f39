import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@moorage/api';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventOf, type Moorage, moorage } from '../command-line.ts';

const executablePath = '/usr/bin/chromium';

/** Why the tests of this folder cannot run here; undefined when they can. */
export const skipReason = existsSync(executablePath)
  ? undefined
  : 'no browser: install it with "apt-get install chromium", then run the tests again';
if (skipReason) console.warn(`Tests of the console are skipped: ${skipReason}`);

/** Where the pictures of all views go. */
export const pictures = fileURLToPath(new URL('../../coverage/console/', import.meta.url));

export const widths = { phone: { width: 360, height: 740 }, desk: { width: 1440, height: 900 } } as const;
export type Width = keyof typeof widths;

/** A running service with its console, an administrator, and a browser. */
export interface Quay {
  readonly url: string;
  readonly administrator: { readonly email: string; readonly password: string };
  /** Where the service keeps its records: a file of SQLite, which a test may age. */
  readonly records: string;
  /** Calls as the administrator, who has chosen this password already unless `firstRun` was asked for. */
  readonly client: Client;
  /** The service, and the module beside it unless it was asked for without one. */
  readonly program: Moorage;
  /** The hardware uuid of the module; empty without one. */
  readonly uuid: string;
  /** Where the serial line of the module is; empty unless it was asked for. */
  readonly serial: string;
  /** A new window with cookies of its own, signed in as the administrator unless an option says otherwise. */
  open(options?: {
    signedIn?: boolean;
    as?: Quay['administrator'];
    width?: Width;
    path?: string;
    dark?: boolean;
    locale?: string;
    /** A file of JPEG pictures that the camera sees, one after the other; the page may use it without being asked. */
    camera?: string;
  }): Promise<Page>;
  /** Ends the service; `again` starts it once more on the same port with what it has kept, alone. */
  stop(): Promise<{ again(): Promise<void> }>;
  close(): Promise<void>;
}

/** Unexpected errors of a page: a test that ends with some has failed. */
const errorsOf = new WeakMap<BrowserContext, string[]>();

/** What a page has complained of so far: thrown errors, and refusals of the content security policy. */
export const complaints = (page: Page): readonly string[] => errorsOf.get(page.context()) ?? [];

/** What a page may take, in ms; a busy machine is slow, and a wrong selector should still be named before the test ends. */
const waitMs = 120_000;

const quayOptions = ['--port', '0', '--device-port', '0', '--json'];

interface QuayOptions {
  /** With example data and a module that is updated; `serve` alone is an empty service. */
  readonly example?: boolean;
  /** The administrator still has the printed password. */
  readonly firstRun?: boolean;
  /** The serial line of the module, in the words of `--serial`; it has none without this. */
  readonly serial?: string;
  /** More settings of the service, as variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

async function start(data: string, { example = true, firstRun = false, serial = 'none', env: more }: QuayOptions) {
  const password = 'a long password';
  const account = { MOORAGE_ADMIN_EMAIL: 'owner@example.com', ...(!firstRun && { MOORAGE_ADMIN_PASSWORD: password }) };
  const env = { ...account, ...more };
  const command = example ? ['up', '--serial', serial] : ['serve'];
  const program = moorage([...command, '--data', data, ...quayOptions], env);
  const ready = await eventOf(program, 'ready');
  const made = await eventOf(program, 'administrator');
  if (example) await eventOf(program, 'updated');
  const administrator = { email: String(made.email), password: String(made.password ?? password) };
  const { uuid, serial: line } = ready;
  return { program, url: `${ready.api}/`, uuid: String(uuid ?? ''), serial: String(line ?? ''), administrator };
}

/** Signs in on the page that asks for it. */
export async function signIn(page: Page, { email, password }: Quay['administrator']): Promise<void> {
  await page.getByRole('textbox', { name: 'Email or user name' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The cookie of a session of the administrator, as the browser would have it after signing in. */
async function sessionCookie(url: string, { email: username, password }: Quay['administrator']) {
  const reply = await fetch(new URL('/api/auth/session', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-console': '1' },
    body: JSON.stringify({ username, password }),
  });
  const [pair = ''] = (reply.headers.get('set-cookie') ?? '').split(';');
  const [name = '', value = ''] = pair.split('=', 2);
  return { name, value, url: new URL('/api', url).href, httpOnly: true, sameSite: 'Strict' as const };
}

let launched: Promise<Browser> | undefined;

/** The one browser of all tests of this process, with which it ends; another one when it has crashed. */
async function sharedBrowser(): Promise<Browser> {
  if (!(await launched)?.isConnected()) launched = chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return launched as Promise<Browser>;
}

/** A browser of its own, whose camera sees pictures of a file. */
const browserWithCamera = (file: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${file}`],
  });

async function end(program: Moorage): Promise<void> {
  program.process.kill('SIGTERM');
  await program.ended;
}

/** Errors of a page from now on, as they come. */
function collectErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  const deleted: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'DELETE') deleted.push(request.url());
    const trashed = /^(.*\/)state$/.exec(request.url())?.[1];
    if (trashed !== undefined && request.postData()?.includes('"trash"')) deleted.push(trashed);
  });
  page.on('console', (message) => {
    // That the page is not signed in yet is an answer, not an error.
    if (message.type() !== 'error' || message.text().includes('401')) return;
    // An event reports a deletion, too. It may come before the page has left what is gone, and have it asked for.
    const { url } = message.location();
    if (message.text().includes('404') && deleted.some((path) => `${url}/`.startsWith(path))) return;
    errors.push(`${message.text()} ${url}`);
  });
  return errors;
}

/** Starts a service with its console. The caller closes it, and its windows with it. */
export async function openQuay(options: QuayOptions = {}): Promise<Quay> {
  const data = await mkdtemp(join(tmpdir(), 'moorage-console-'));
  const { program, url, uuid, serial, administrator } = await start(data, options);
  const anonymous = createClient({ baseUrl: url });
  const { email: username, password } = administrator;
  const session = await anonymous.call('auth.login', { body: { username, password } });
  if (!session.ok) throw new Error(session.error.body.message);
  let cookie: ReturnType<typeof sessionCookie> | undefined;
  let running = program;
  const browser = await sharedBrowser();
  const more: Browser[] = [];
  const contexts: BrowserContext[] = [];
  return {
    url,
    uuid,
    serial,
    administrator,
    records: join(data, 'moorage.db'),
    program,
    client: anonymous.as(session.value.value.token),
    async open({ signedIn = true, as, width = 'desk', path = '/', dark = false, locale = 'en-US', camera } = {}) {
      const own = camera === undefined ? undefined : await browserWithCamera(camera);
      if (own) more.push(own);
      // Without motion no picture shows a colour on its way.
      const context = await (own ?? browser).newContext({
        viewport: widths[width],
        colorScheme: dark ? 'dark' : 'light',
        reducedMotion: 'reduce',
        locale,
        ...(own && { permissions: ['camera'] }),
      });
      contexts.push(context);
      context.setDefaultTimeout(waitMs);
      const page = await context.newPage();
      errorsOf.set(context, collectErrors(page));
      if (signedIn) {
        cookie ??= sessionCookie(url, administrator);
        await context.addCookies([await (as ? sessionCookie(url, as) : cookie)]);
      }
      await page.goto(new URL(path, url).href);
      if (signedIn) await page.getByRole('banner').waitFor();
      return page;
    },
    async stop() {
      await end(running);
      return {
        async again() {
          const args = ['serve', '--data', data, '--port', new URL(url).port, '--device-port', '0', '--json'];
          running = moorage(args);
          await eventOf(running, 'ready');
        },
      };
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await Promise.all(more.map((other) => other.close()));
      await end(running);
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Opens a section of a page by its tab, and by its link where the tab has several. */
export async function openSection(page: Page, tab: string, section?: string): Promise<void> {
  await page.getByRole('tab', { name: tab, exact: true }).click();
  if (section === undefined) return;
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section, exact: true }).click();
}

/** Waits until a page has loaded what it shows. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  // Not a function that is waited for: the content security policy lets no page evaluate text.
  await page.locator('main .mantine-Loader-root, main .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
}

/** Moves a page to each part that waits to be seen, and back to its begin. */
export async function seeAll(page: Page): Promise<void> {
  const unseen = page.locator('main .unseen');
  for (let left = await unseen.count(); left > 0; left = await unseen.count()) {
    await unseen.first().scrollIntoViewIfNeeded();
    await expect.poll(() => unseen.count()).toBeLessThan(left);
  }
  await page.evaluate('scrollTo(0, 0)');
  await settled(page);
}

/** Photographs a page as it is, under a name, for people to look at; only when `PICTURES` asks for it. */
export async function photograph(page: Page, name: string): Promise<void> {
  if (!process.env.PICTURES) return;
  await mkdir(pictures, { recursive: true });
  const width = page.viewportSize()?.width ?? 0;
  await page.screenshot({ path: join(pictures, `${name}-${width}.png`), fullPage: true });
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** WCAG 2.2 AA as axe has it, and the rules of it that look at colours. */
const axeRules = {
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  colours: ['color-contrast', 'link-in-text-block'],
} as const;

/** What axe finds on a page, one line each. */
export async function accessibilityProblems(page: Page, rules: keyof typeof axeRules = 'all'): Promise<string[]> {
  // Evaluated, not added as an element: the content security policy lets no foreign script in.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(await readFile(axePath, 'utf8'));
  // What is wrong alone: the rest of a report is a hundred times as long, and takes longer to carry than to find.
  const options = JSON.stringify({ runOnly: axeRules[rules], resultTypes: ['violations'] });
  const report = `axe.run(document, ${options}).then(({ violations }) => violations)`;
  const violations = (await page.evaluate(report)) as AxeViolation[];
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 300)} ${failureSummary ?? ''}`),
  );
}

/** That nothing on a page is wider than the window. */
export async function expectNoSideways(page: Page): Promise<void> {
  const over = await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
  expect(over, 'pixels by which the page is wider than its window').toBeLessThanOrEqual(0);
}

interface Visit {
  readonly path: string;
  /** Of the picture; that of the path without it. */
  readonly name?: string;
}

/** The window in which the views of a service are inspected one after the other: its scripts are loaded once. */
const inspectors = new WeakMap<Quay, Page>();

/**
 * Opens a view at both widths and in both colours: it is photographed, axe finds nothing, nothing sticks out sideways,
 * and the page has complained of nothing.
 */
export async function inspect(quay: Quay, { path, name = path.replaceAll('/', '-').slice(1) }: Visit): Promise<void> {
  const page = inspectors.get(quay) ?? (await quay.open({ path }));
  inspectors.set(quay, page);
  for (const width of ['phone', 'desk'] as const) {
    await page.setViewportSize(widths[width]);
    await page.emulateMedia({ colorScheme: 'light' });
    // Anew for each width, as it comes there.
    await page.goto(new URL(path, quay.url).href);
    await settled(page);
    await seeAll(page);
    await photograph(page, name || 'dashboard');
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectNoSideways(page);
    // The other colours are the same page: what axe says of its structure stays.
    await page.emulateMedia({ colorScheme: 'dark' });
    await photograph(page, `${name || 'dashboard'}-dark`);
    expect(await accessibilityProblems(page, 'colours'), 'in dark colours').toEqual([]);
    expect(complaints(page)).toEqual([]);
  }
}
