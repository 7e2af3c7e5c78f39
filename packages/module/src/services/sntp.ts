import type { CancelTimer } from '@moorage/base';
import type { NetworkService, RunningService, ServiceParts } from './service.ts';
import { readSntpReply, type SntpReply, sntpRequest } from './sntp-packet.ts';

export const ntpPort = 123;

/** How long a reply is waited for, in ms. */
const replyTimeoutMs = 5_000;
/** First pause after a poll that has come to nothing, in ms; each one more doubles it, up to `ntp.interval`. */
const firstRetryMs = 4_000;

/** Codes of servers that do not want to be asked ever again; other codes mean later (RFC 4330, 8). */
const finalKisses: ReadonlySet<string> = new Set(['DENY', 'RSTR']);
/** As many that the pause is that of `ntp.interval`. */
const manyFailures = 20;

type Outcome = 'silence' | { kind: 'time'; epochMs: number } | Extract<SntpReply, { kind: 'kiss' }>;

/** Keeps the clock by the time of a server. Spec: MOD-RULE-time. */
class Sntp implements RunningService {
  readonly #parts: ServiceParts;
  #cancelNext: CancelTimer | undefined;
  #end: (() => void) | undefined;
  #failures = 0;
  #polledAtMs = 0;
  /** Changes with every poll and with the stop. */
  #turn = 0;
  readonly #unwatch: readonly (() => void)[];

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    const { variables } = parts;
    this.#unwatch = [
      // Both act at once. Spec: MOD-VAR-ntp.interval, MOD-VAR-ntp.server.
      variables.onChange('ntp.interval', () => this.#end ?? this.#plan()),
      variables.onChange('ntp.server', () => void this.poll()),
    ];
  }

  async poll(): Promise<void> {
    const turn = ++this.#turn;
    this.#cancelNext?.();
    this.#end?.();
    this.#polledAtMs = this.#parts.clock.monotonic();
    const outcome = await this.#ask();
    // Stopped, or asked anew, meanwhile.
    if (turn !== this.#turn) return;
    if (outcome === 'silence') this.#failures++;
    else if (outcome.kind === 'time') {
      this.#failures = 0;
      this.#parts.rtc.set(outcome.epochMs);
    } else if (finalKisses.has(outcome.code)) return;
    else this.#failures = manyFailures;
    this.#plan();
  }

  stop(): void {
    this.#turn++;
    this.#cancelNext?.();
    this.#end?.();
    for (const unwatch of this.#unwatch) unwatch();
  }

  #plan(): void {
    const { clock, variables } = this.#parts;
    const intervalMs = variables.get('ntp.interval') * 1000;
    const retryMs = this.#failures === 0 ? intervalMs : firstRetryMs * 2 ** (this.#failures - 1);
    const dueMs = this.#polledAtMs + Math.min(intervalMs, retryMs) - clock.monotonic();
    this.#cancelNext?.();
    this.#cancelNext = clock.after(Math.max(0, dueMs), () => void this.poll());
  }

  /** One request, and the time by now of the reply to believe. */
  async #ask(): Promise<Outcome> {
    const { hostClock: clock = this.#parts.clock, net, random, variables } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const end = (): void => resolve('silence');
    this.#end = end;
    const cancel = clock.after(replyTimeoutMs, end);
    const nonce = Buffer.from(random.bytes(8)).readBigUInt64BE();
    const sentAtMs = clock.monotonic();
    const opening = net.datagrams({ port: 0 }, ({ bytes }) => {
      const reply = readSntpReply(bytes, nonce);
      if (reply) resolve(reply.kind === 'kiss' ? reply : timeNow(reply, clock.monotonic() - sentAtMs));
    });
    void opening.then(async (opened) => {
      // The service may have been stopped while the name was looked up.
      const place = placeOf(variables.get('ntp.server'));
      const sent = opened.ok ? await opened.value.send(sntpRequest(nonce), ...place) : opened;
      if (!sent.ok) end();
    });
    const outcome = await promise;
    cancel();
    if (this.#end === end) this.#end = undefined;
    void opening.then((opened) => (opened.ok ? opened.value.close() : undefined));
    return outcome;
  }
}

/** The reply was on its way for half of the time that the server did not have it. */
function timeNow({ receivedMs, sentMs }: Extract<SntpReply, { kind: 'time' }>, goneMs: number): Outcome {
  const awayMs = Math.max(0, goneMs - Math.max(0, sentMs - receivedMs));
  return { kind: 'time', epochMs: Math.round(sentMs + awayMs / 2) };
}

/** A server may be given with a port. */
function placeOf(server: string): readonly [host: string, port: number] {
  const match = /^([^:]+):(\d{1,5})$/.exec(server);
  return match?.[1] && Number(match[2]) <= 65_535 ? [match[1], Number(match[2])] : [server, ntpPort];
}

/** Network time. Reference: network 5.1. */
export const sntpService: NetworkService = {
  name: 'sntp',
  spec: 'MOD-RULE-time',
  // Spec: MOD-VAR-ntp.enabled, MOD-VAR-ntp.interface.
  wanted: ({ variables, wlan }) =>
    variables.get('ntp.enabled') ? [wlan.interfaceOf(variables.get('ntp.interface'))] : [],
  start(parts) {
    const sntp = new Sntp(parts);
    // The join does not wait for the time.
    void sntp.poll();
    return sntp;
  },
};
