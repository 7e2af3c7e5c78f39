import { type Clock, failure, ignoreFailure, type Result, sleep, success } from '@moorage/base';
import type { DatagramSocket, Net, NetFailure } from '../ports.ts';
import {
  blankQuery,
  type DnsQuestion,
  type DnsRecord,
  isWritable,
  plainName,
  readDns,
  writeDns,
} from './dns-message.ts';

export const mdnsGroup = '224.0.0.251';
export const mdnsPort = 5353;

/** The name under which services are listed by type (RFC 6763, 9). */
export const serviceListName = '_services._dns-sd._udp.local';

/** A service that has been found. */
export interface FoundService {
  /** The instance as people know it, without its type. */
  readonly name: string;
  readonly ip: string;
  readonly port: number;
  /** What it says of itself: texts `key=value`. */
  readonly txt: readonly string[];
}

/** Most records that are kept of other hosts, so that none can fill the memory. */
const maxRecords = 1000;

type Parts = { readonly clock: Clock; readonly net: Pick<Net, 'datagrams'> };

/** Records received in answer to questions, and the questions that follow from them. */
class Browser {
  readonly records = new Map<string, DnsRecord>();
  readonly #sent = new Set<string>();
  #socket: DatagramSocket | undefined;
  onRecords: () => void = () => {};

  async open(net: Parts['net']): Promise<Result<void, NetFailure>> {
    const opened = await net.datagrams({ port: mdnsPort, group: mdnsGroup }, ({ bytes }) => this.#hear(bytes));
    if (!opened.ok) return opened;
    this.#socket = opened.value;
    return success(undefined);
  }

  /** Asks what has not been asked yet. */
  ask(questions: readonly DnsQuestion[]): void {
    const fresh = questions.filter(
      ({ name, type }) => isWritable(name) && !this.#sent.has(`${type} ${plainName(name)}`),
    );
    if (fresh.length === 0) return;
    for (const { name, type } of fresh) this.#sent.add(`${type} ${plainName(name)}`);
    ignoreFailure(this.#socket?.send(writeDns({ ...blankQuery, questions: fresh }), mdnsGroup, mdnsPort));
  }

  /** Asks everything once more: the first time it may have been lost. */
  askAgain(questions: readonly DnsQuestion[]): void {
    this.#sent.clear();
    this.ask(questions);
  }

  find<Type extends DnsRecord['type']>(type: Type, name: string): Extract<DnsRecord, { type: Type }> | undefined {
    const found = [...this.records.values()].find(
      (record) => record.type === type && plainName(record.name) === plainName(name),
    );
    // Found by its very type.
    return found as Extract<DnsRecord, { type: Type }> | undefined;
  }

  async close(): Promise<void> {
    await this.#socket?.close();
  }

  #hear(bytes: Uint8Array): void {
    const message = readDns(bytes);
    if (!message?.isResponse || message.rcode !== 0) return;
    for (const record of [...message.answers, ...message.additionals]) {
      const shared = record.type === 'PTR' ? ` ${plainName(record.data)}` : '';
      const key = `${record.type} ${plainName(record.name)}${shared}`;
      if (record.ttl === 0) this.records.delete(key);
      else if (this.records.size < maxRecords || this.records.has(key)) this.records.set(key, record);
    }
    this.onRecords();
  }
}

/** How long answers are waited for, in ms, and when questions are repeated. */
const discoverMs = 3000;
const repeatMs = 1000;

/**
 * Services on the network, by name: of one type, or of all types that there are. Takes three seconds of the
 * clock. Spec: MOD-CMD-mdns_discover.
 *
 * @param type such as `_http._tcp.local`
 */
export async function discoverServices(
  { clock, net }: Parts,
  type: string | undefined,
): Promise<Result<readonly FoundService[], NetFailure>> {
  const browser = new Browser();
  const opened = await browser.open(net);
  if (!opened.ok) return opened;
  const next = (): readonly DnsQuestion[] => openQuestions(browser, type ?? serviceListName);
  browser.onRecords = () => browser.ask(next());
  browser.ask(next());
  await sleep(clock, repeatMs);
  browser.askAgain(next());
  await sleep(clock, discoverMs - repeatMs);
  await browser.close();
  return success(foundServices(browser, type));
}

/** What is still to be asked: the list, the types in it, then the place and the address of each instance. */
function openQuestions(browser: Browser, start: string): readonly DnsQuestion[] {
  const questions: DnsQuestion[] = [{ name: start, type: 'PTR' }];
  for (const record of browser.records.values()) {
    if (record.type === 'PTR' && plainName(record.name) === serviceListName) {
      if (start === serviceListName) questions.push({ name: record.data, type: 'PTR' });
    } else if (record.type === 'PTR' && !browser.find('SRV', record.data)) {
      questions.push({ name: record.data, type: 'SRV' });
    } else if (record.type === 'SRV' && !browser.find('A', record.data.target)) {
      questions.push({ name: record.data.target, type: 'A' });
    }
  }
  return questions;
}

function foundServices(browser: Browser, type: string | undefined): readonly FoundService[] {
  const found: FoundService[] = [];
  for (const record of browser.records.values()) {
    if (record.type !== 'PTR' || plainName(record.name) === serviceListName) continue;
    if (type !== undefined && plainName(record.name) !== plainName(type)) continue;
    const place = browser.find('SRV', record.data);
    const address = place && browser.find('A', place.data.target);
    if (!place || !address) continue;
    const suffix = `.${plainName(record.name)}`;
    const name = plainName(record.data).endsWith(suffix)
      ? record.data.replace(/\.$/, '').slice(0, -suffix.length)
      : record.data;
    const txt = browser.find('TXT', record.data)?.data ?? [];
    found.push({ name, ip: address.data, port: place.data.port, txt });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.port - b.port));
}

/** How often, and how far apart in ms, a name is asked for. */
const resolveTries = 3;
const resolveGapMs = 300;

/** The address of a `.local` name by mDNS; `not-found` when no host has answered within a second. */
export async function resolveLocal({ clock, net }: Parts, host: string): Promise<Result<string, NetFailure>> {
  const browser = new Browser();
  const opened = await browser.open(net);
  if (!opened.ok) return opened;
  const question = { name: host, type: 'A' };
  let answer: string | undefined;
  for (let left = resolveTries; left > 0 && answer === undefined; left--) {
    browser.askAgain([question]);
    await heardOrLater(browser, clock, host);
    answer = browser.find('A', host)?.data;
  }
  await browser.close();
  return answer === undefined
    ? failure({ error: 'not-found', detail: `No host on the network is called "${host}"` })
    : success(answer);
}

function heardOrLater(browser: Browser, clock: Clock, host: string): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(resolveGapMs, resolve);
    browser.onRecords = () => {
      if (!browser.find('A', host)) return;
      cancel();
      resolve();
    };
  });
}
