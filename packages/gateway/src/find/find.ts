import { answerText, type Driver } from '../driver/driver.ts';
import { type OpenPorts, openDriver } from '../driver/open.ts';
import { parseVersionLine } from '../module/reports.ts';
import { askMdns, hearBroadcasts, macOf, type Sighting } from './sightings.ts';

/** A module that has been found, as far as it shows itself without a password. */
export interface FoundModule {
  /** Ways to its command line, the best first. */
  readonly addresses: readonly string[];
  /** The version line; absent where a password keeps it. */
  readonly version?: string | undefined;
  readonly board?: string | undefined;
  readonly mac?: string | undefined;
  /** As it prints it; its first eight digits are the part id of its hardware. */
  readonly uuid?: string | undefined;
  readonly ssid?: string | undefined;
  readonly signalDbm?: number | undefined;
  /** Absent where it has not been tried. */
  readonly hasPassword?: boolean | undefined;
  readonly by: readonly (Sighting['by'] | 'address')[];
}

export interface FindOptions {
  /** Addresses to try, as a user writes them. */
  readonly addresses?: readonly string[];
  /** How long broadcasts are waited for, in ms: a module sends one every ten seconds unless told otherwise. 0 asks only for the addresses. */
  readonly listenMs: number;
  /** UDP port of the broadcasts. */
  readonly broadcastPort: number;
  /** MAC addresses of modules that need not be found: nothing is asked of them. */
  readonly known?: ReadonlySet<string>;
}

/** Port of status broadcasts as modules leave the factory. */
export const usualBroadcastPort = 55_555;

/** What has been found, and what could not be done. */
export interface Findings {
  readonly modules: readonly FoundModule[];
  /** One sentence each. */
  readonly problems: readonly string[];
}

/** Modules that are asked at the same time. */
const atOnce = 16;

/**
 * Looks for modules: listens for their broadcasts, asks by mDNS, and tries the addresses given. It reads only. The remote
 * terminal of a module that was not named is left alone: it has one session, and another program may want it.
 */
export async function find(ports: OpenPorts, options: FindOptions): Promise<Findings> {
  const { addresses = [], listenMs, broadcastPort, known: knownMacs = new Set() } = options;
  const problems: string[] = [];
  const note = (what: string, detail: string): [] => {
    problems.push(`${what}: ${detail}`);
    return [];
  };
  const isListening = listenMs > 0;
  const [heard, named, given] = await Promise.all([
    isListening ? hearBroadcasts(ports, { port: broadcastPort, forMs: listenMs }) : undefined,
    isListening ? askMdns(ports) : undefined,
    inPortions(addresses, async (address) => {
      const seen = await lookAt(ports, address);
      return seen.ok ? [seen.value] : note(address, seen.detail);
    }),
  ]);
  const sightings = [
    ...(!heard ? [] : heard.ok ? heard.value : note(`UDP port ${broadcastPort}`, heard.error.detail)),
    ...(!named ? [] : named.ok ? named.value : note('mDNS', named.error.detail)),
  ];
  const strangers = sightings.filter(({ mac }) => mac === undefined || !knownMacs.has(mac));
  const looked = await inPortions(grouped(strangers), async (group) => {
    const module = await lookBehind(ports, group);
    return module ? [module] : [];
  });
  return { modules: merged([...given.flat(), ...looked.flat()]), problems };
}

async function inPortions<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<readonly R[]> {
  const done: R[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    done.push(...(await Promise.all(items.slice(from, from + atOnce).map(task))));
  return done;
}

/** Sightings of one module together. */
function grouped(sightings: readonly Sighting[]): readonly (readonly Sighting[])[] {
  const groups = new Map<string, Sighting[]>();
  for (const sighting of sightings) {
    const key = sighting.mac ?? `${sighting.ip} ${sighting.httpPort ?? sighting.httpsPort ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), sighting]);
  }
  return [...groups.values()];
}

/** A module of which something was heard; `undefined` when what answers there is none. */
async function lookBehind(ports: OpenPorts, group: readonly Sighting[]): Promise<FoundModule | undefined> {
  const [{ ip } = { ip: '' }] = group;
  const first = <K extends keyof Sighting>(key: K): Sighting[K] | undefined =>
    group.find((sighting) => sighting[key] !== undefined)?.[key];
  const [httpPort, httpsPort, terminalPort] = [first('httpPort'), first('httpsPort'), first('terminalPort')];
  const by = [...new Set(group.map((sighting) => sighting.by))];
  const version = first('version');
  const said = { by, version, mac: first('mac'), ssid: first('ssid'), signalDbm: first('signalDbm') };
  const web = `http://${ip}:${httpPort ?? 80}`;
  const seen = await lookAt(ports, web);
  const terminal = terminalPort === undefined ? [] : [`tcp:${ip}:${terminalPort}`];
  const secure = httpsPort === undefined ? [] : [`https://${ip}:${httpsPort}`];
  const isModule = (seen.ok && seen.value.version) || said.mac !== undefined || version !== undefined;
  if (!isModule) return undefined;
  const board = version === undefined ? undefined : parseVersionLine(version).board;
  const addresses = [...(seen.ok ? [web] : []), ...secure, ...terminal];
  return { board, ...said, ...(seen.ok && known(seen.value)), by, addresses };
}

const known = (module: FoundModule): Partial<FoundModule> =>
  Object.fromEntries(Object.entries(module).filter(([, value]) => value !== undefined));

type Seen = { readonly ok: true; readonly value: FoundModule } | { readonly ok: false; readonly detail: string };

/** What a module shows without a password at an address. */
async function lookAt(ports: OpenPorts, address: string): Promise<Seen> {
  const opened = await openDriver(ports, address);
  const found = { addresses: [address], by: ['address'] as const };
  if (!opened.ok) {
    const { error, detail } = opened.error;
    // What wants a password here is a module only as far as somebody says so.
    return error === 'denied' ? { ok: true, value: { ...found, hasPassword: true } } : { ok: false, detail };
  }
  const driver = opened.value;
  try {
    const version = parseVersionLine((await askedFor(driver, 'version')).text ?? '');
    if (version.line === '') return { ok: false, detail: 'What answers here tells no version' };
    const [mac, uuid, ssid, signal] = [
      await askedFor(driver, 'get wlan.mac'),
      await askedFor(driver, 'get system.uuid'),
      await askedFor(driver, 'get wlan.ssid'),
      await askedFor(driver, 'wlan_get_rssi'),
    ];
    const signalDbm = /^-\d{1,3}$/.test(signal.text ?? '') ? Number(signal.text) : undefined;
    const value = {
      ...found,
      version: version.line,
      board: version.board,
      mac: macOf(mac.text),
      uuid: /^[0-9A-F]{40}$/i.exec(uuid.text ?? '')?.[0],
      ssid: ssid.text,
      signalDbm,
      hasPassword: mac.isDenied,
    };
    return { ok: true, value };
  } finally {
    await driver.close();
  }
}

/** The one line that a command answers with, if it is taken. */
async function askedFor(driver: Driver, line: string): Promise<{ readonly text?: string; readonly isDenied: boolean }> {
  const answered = await driver.run(line);
  if (!answered.ok) return { isDenied: answered.error.error === 'denied' };
  const text = answerText(answered.value).split('\n').at(-1)?.trim();
  return { isDenied: false, ...(answered.value.code === 0 && text && { text }) };
}

/** One entry for each module, whatever ways lead to it. */
function merged(modules: readonly FoundModule[]): readonly FoundModule[] {
  const found = new Map<string, FoundModule>();
  for (const module of modules) {
    const key = module.mac ?? module.addresses.join();
    const before = found.get(key);
    const addresses = [...new Set([...(before?.addresses ?? []), ...module.addresses])];
    const by = [...new Set([...(before?.by ?? []), ...module.by])];
    found.set(key, { ...known(module), ...(before && known(before)), addresses, by });
  }
  return [...found.values()].toSorted((a, b) => ((a.addresses[0] ?? '') < (b.addresses[0] ?? '') ? -1 : 1));
}
