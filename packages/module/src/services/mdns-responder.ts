import { type CancelTimer, type Clock, ignoreFailure, type Random } from '@moorage/base';
import type { Datagram, DatagramSocket } from '@moorage/net';
import { type DnsMessage, readDns, writeDns } from '@moorage/net/dns/dns-message';
import { mdnsGroup, mdnsPort } from '@moorage/net/dns/mdns-browser';
import {
  announcementOf,
  answerTo,
  type Claim,
  goodbyeOf,
  isContested,
  legacyAnswer,
  losesTo,
  numbered,
  probeOf,
} from './mdns-records.ts';

/** Times of RFC 6762, in ms. */
const probeSpreadMs = 250;
const probeGapMs = 250;
const announceGapMs = 1000;
const deferMs = 1000;
const sharedDelayMs = { least: 20, most: 120 };
/** After as many conflicts the next attempts are slow, so that two who quarrel do not flood the network. */
const quarrels = 15;
const quarrelDelayMs = 5000;

const probes = 3;

interface ResponderParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly socket: Pick<DatagramSocket, 'send'>;
  /** What is wanted; its name is what the first attempt tries. */
  readonly claim: Claim;
  /** The name that it has got, at first and whenever it has had to change it. */
  readonly named: (name: string) => void;
}

type Interruption = 'contested' | 'deferred' | 'stopped';

/** Claims a name, answers for it, and finds another when another host has it. Spec: MOD-RULE-mdns. */
export class MdnsResponder {
  readonly #parts: ResponderParts;
  #claim: Claim;
  #state: 'probing' | 'claimed' | 'stopped' = 'probing';
  #attempt = 1;
  #interrupt: ((why: Interruption) => void) | undefined;
  readonly #timers = new Set<CancelTimer>();

  constructor(parts: ResponderParts) {
    this.#parts = parts;
    this.#claim = parts.claim;
  }

  /** Resolves when a free name has been found, or with the stop. */
  async start(): Promise<void> {
    this.#state = 'probing';
    let conflicts = 0;
    for (let outcome = await this.#probe(); outcome !== 'free'; outcome = await this.#probe()) {
      if (outcome === 'stopped') return;
      if (outcome === 'contested') {
        conflicts++;
        this.#claim = { ...this.#claim, name: numbered(this.#parts.claim.name, ++this.#attempt) };
      }
      const delayMs = outcome === 'deferred' ? deferMs : conflicts >= quarrels ? quarrelDelayMs : 0;
      if (delayMs > 0 && (await this.#wait(delayMs)) === 'stopped') return;
    }
    this.#state = 'claimed';
    this.#parts.named(this.#claim.name);
    this.#announce();
  }

  receive({ bytes, address, port }: Datagram): void {
    if (this.#state === 'stopped') return;
    const message = readDns(bytes);
    // RFC 6762, 18.3: other opcodes and error codes are not of this protocol.
    if (message?.opcode !== 0 || message.rcode !== 0) return;
    if (message.isResponse) this.#hear(message, port);
    else this.#answer(message, address, port);
  }

  /** Takes everything back; resolves when that has been sent. */
  async stop(): Promise<void> {
    const claimed = this.#state === 'claimed';
    this.#state = 'stopped';
    this.#interrupt?.('stopped');
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    if (claimed) await this.#send(goodbyeOf(this.#claim));
  }

  #hear(message: DnsMessage, port: number): void {
    // An answer that comes from elsewhere may be forged (RFC 6762, 6).
    if (port !== mdnsPort || !isContested(this.#claim, [...message.answers, ...message.additionals])) return;
    if (this.#state === 'probing') this.#interrupt?.('contested');
    // The other host may be the one in the wrong: both probe again.
    else void this.start();
  }

  #answer(query: DnsMessage, address: string, port: number): void {
    if (this.#state === 'probing') {
      if (query.authorities.length > 0 && losesTo(this.#claim, query)) this.#interrupt?.('deferred');
      return;
    }
    const answer = answerTo(this.#claim, query);
    if (!answer) return;
    if (port !== mdnsPort) {
      ignoreFailure(this.#parts.socket.send(writeDns(legacyAnswer(answer.message, query)), address, port));
      return;
    }
    // Questions for an answer by unicast get theirs by multicast too, which is allowed: on a machine with many modules
    // the port is shared, and a unicast answer would reach only one of those who listen there.
    if (!answer.shared) void this.#send(answer.message);
    else this.#later(this.#between(sharedDelayMs.least, sharedDelayMs.most), () => void this.#send(answer.message));
  }

  #announce(): void {
    void this.#send(announcementOf(this.#claim));
    this.#later(announceGapMs, () => {
      if (this.#state === 'claimed') void this.#send(announcementOf(this.#claim));
    });
  }

  async #probe(): Promise<'free' | Interruption> {
    let interruption = await this.#wait(this.#parts.random.below(probeSpreadMs));
    for (let sent = 0; sent < probes && interruption === undefined; sent++) {
      void this.#send(probeOf(this.#claim));
      interruption = await this.#wait(probeGapMs);
    }
    return interruption ?? 'free';
  }

  /** Waits on the module's clock, unless something happens before; says what. */
  async #wait(delayMs: number): Promise<Interruption | undefined> {
    if (this.#state === 'stopped') return 'stopped';
    const { promise, resolve } = Promise.withResolvers<Interruption | undefined>();
    const cancel = this.#parts.clock.after(delayMs, () => resolve(undefined));
    this.#interrupt = resolve;
    const interruption = await promise;
    this.#interrupt = undefined;
    cancel();
    return interruption;
  }

  async #send(message: DnsMessage): Promise<void> {
    // What is lost is asked for again.
    ignoreFailure(await this.#parts.socket.send(writeDns(message), mdnsGroup, mdnsPort));
  }

  #later(delayMs: number, task: () => void): void {
    const cancel = this.#parts.clock.after(delayMs, () => {
      this.#timers.delete(cancel);
      task();
    });
    this.#timers.add(cancel);
  }

  #between(least: number, most: number): number {
    return least + this.#parts.random.below(most - least + 1);
  }
}
