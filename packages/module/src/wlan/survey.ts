import { type Clock, failure, type Result, sleep, success } from '@moorage/base';
import type { AccessPoint, Security } from './air.ts';
import type { Heard, Radio } from './radio.ts';

interface SurveyParts {
  readonly clock: Clock;
  readonly radio: Radio;
  readonly timings: { readonly scanMs: number; readonly probeMs: number; readonly associateMs: number };
  /** A join has the radio. */
  readonly busy: () => boolean;
  /** Whether the access point lets a station in that has this key. */
  readonly admits: (point: AccessPoint, passkey: string) => boolean;
  readonly associateTimeoutMs: () => number;
}

/** What a scan looks for; everything without it. */
interface Sought {
  readonly channel?: number | undefined;
  readonly ssid?: string | undefined;
}

export interface Credentials {
  readonly ssid: string;
  readonly bssid: string;
  readonly channel: number;
  readonly security: Security;
  readonly passkey: string;
}

/** How long WPS waits for an access point. Spec: MOD-CMD-wps. */
export const wpsTimeoutMs = 120_000;

/** How often WPS looks meanwhile. */
const wpsPassMs = 1_000;

/** Looks around without joining. */
export class Survey {
  readonly #parts: SurveyParts;
  /** Changes with `end`: what was under way before stops by itself. */
  #turn = 0;

  constructor(parts: SurveyParts) {
    this.#parts = parts;
  }

  /** A join has the radio: nothing can be looked for. */
  get isBusy(): boolean {
    return this.#parts.busy();
  }

  /** Power off: what is under way comes to nothing. */
  end(): void {
    this.#turn++;
  }

  /** The access points that several passes have heard, by channel; the passes end with the first that finds something. */
  async scan(sought: Sought = {}): Promise<Result<readonly Heard[], 'busy'>> {
    const { busy, radio, timings } = this.#parts;
    if (busy()) return failure('busy');
    for (let repeats = radio.settings.repeats; ; repeats--) {
      await this.#pause(timings.scanMs);
      const heard = radio
        .listen(sought.ssid)
        .filter(
          ({ point, ssid }) => (sought.channel ?? point.channel) === point.channel && (sought.ssid ?? ssid) === ssid,
        );
      if (heard.length > 0 || repeats <= 0) return success(heard.sort((a, b) => a.point.channel - b.point.channel));
    }
  }

  /** Tries credentials without joining; a link that is up stays. */
  async verify({ ssid, bssid, channel, security, passkey }: Credentials): Promise<boolean> {
    const { admits, associateTimeoutMs, busy, radio, timings } = this.#parts;
    if (busy()) return false;
    await this.#pause(timings.probeMs);
    const found = radio
      .listen(ssid)
      .find((heard) => heard.ssid === ssid && heard.point.bssid === bssid && heard.point.channel === channel);
    if (found?.point.security !== security) return false;
    const { point } = found;
    const associateMs = radio.isHeardBy(point)
      ? timings.associateMs + (point.associateMs ?? 0)
      : Number.POSITIVE_INFINITY;
    await this.#pause(Math.min(associateMs, associateTimeoutMs()));
    return associateMs <= associateTimeoutMs() && radio.hears(point) && admits(point, passkey);
  }

  /**
   * Waits for an access point whose button has been pressed, or that has this PIN, and takes its credentials.
   * Two buttons at a time are refused: which one is meant is ambiguous.
   */
  async wps(
    pin?: string,
    signal?: AbortSignal,
  ): Promise<Result<{ readonly ssid: string; readonly passkey: string }, 'failed' | 'overlap'>> {
    const { clock, radio } = this.#parts;
    const turn = this.#turn;
    const endMs = clock.monotonic() + wpsTimeoutMs;
    for (;;) {
      const ready = radio
        .listen()
        .map(({ point }) => point)
        .filter((point) => radio.isHeardBy(point))
        .filter((point) => (pin === undefined ? radio.buttonActive(point) : point.wps?.pin === pin));
      const [first] = ready;
      // One network may have several access points.
      if (ready.some((point) => point.ssid !== first?.ssid)) return failure('overlap');
      if (first) return success({ ssid: first.ssid, passkey: first.security === 'open' ? '' : (first.passkey ?? '') });
      const leftMs = endMs - clock.monotonic();
      if (leftMs <= 0) return failure('failed');
      await sleep(clock, Math.min(wpsPassMs, leftMs));
      if (turn !== this.#turn || signal?.aborted) return failure('failed');
    }
  }

  async #pause(delayMs: number): Promise<void> {
    if (delayMs > 0) await sleep(this.#parts.clock, delayMs);
  }
}
