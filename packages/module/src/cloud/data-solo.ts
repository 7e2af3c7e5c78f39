import type { DataCapability } from '@moorage/api';
import type { Clock } from '@moorage/base';
import type { DataCloud, DataRefusal, Datum, DeviceNetwork } from '@moorage/device';
import { capabilityOf, suitedValue } from '@moorage/device/data/values';
import { pause } from '@moorage/device/pause';
import { rawSample, sampleMillivolts } from '../device/adc.ts';
import type { Pins } from '../device/gpio.ts';
import type { Model } from '../model/model.ts';
import type { VariableStore } from '../variables/store.ts';

export interface SoloParts {
  readonly clock: Clock;
  readonly rtc: { readonly isSet: boolean; nowMs(): number };
  readonly model: Pick<Model, 'adc' | 'gpioCount'>;
  readonly pins: Pick<Pins, 'level' | 'volts' | 'put' | 'isFreed'>;
  readonly variables: Pick<VariableStore, 'get' | 'getAt' | 'onChange'>;
  readonly network: DeviceNetwork;
  readonly cloud: DataCloud;
  /** An exchange has failed after one that has not. */
  readonly failed: (refusal: DataRefusal) => void;
  /** The store has failed. */
  readonly broken: (cause: unknown) => void;
}

const variable = 'cloud.solo.gpio';

/** Longest delay that a timer takes, in ms. */
const maxTimerMs = 2 ** 31 - 1;

/** Texts of controls that make a pin high. */
const highWords = /^(1|on|true|high)$/i;

/**
 * SOLO mode: the module serves its capabilities without a host. Pins are sampled for streams and driven by controls,
 * and both are exchanged with the service after every period. Spec: MOD-VAR-cloud.solo.enabled.
 */
export class Solo {
  readonly #parts: SoloParts;
  // Made when it starts: most modules of a fleet have a host.
  #power: AbortController | undefined;
  #replanned: AbortController | undefined;
  #stops: readonly (() => void)[] = [];

  constructor(parts: SoloParts) {
    this.#parts = parts;
  }

  /** After `[Ready]`: runs until `stop`, or until the activation is over. Joins by itself. */
  start(): void {
    const { broken, cloud, variables } = this.#parts;
    if (!cloud.activated || !variables.get('cloud.solo.enabled')) return;
    const power = new AbortController();
    this.#power = power;
    this.#stops = [
      cloud.onControls(() => this.#drive()),
      variables.onChange(variable, () => this.#drive()),
      // Spec: MOD-VAR-cloud.solo.sync_period acts at once.
      variables.onChange('cloud.solo.sync_period', () => this.#replanned?.abort()),
    ];
    // Without power the store goes away under an exchange: what is not durable by then is given up.
    this.#run(power.signal).catch((cause: unknown) => power.signal.aborted || broken(cause));
  }

  stop(): void {
    this.#power?.abort();
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, cloud, network } = this.#parts;
    let hasBeenUp = false;
    let failing = false;
    this.#drive();
    while (cloud.activated && !signal.aborted) {
      const startMs = clock.monotonic();
      await cloud.sample(this.#samples());
      // Who takes the network down does not want it back.
      if (!hasBeenUp || network.isUp()) {
        const synced = await cloud.sync('both');
        // Deactivated while its exchange waited for its turn: nothing has failed.
        if (signal.aborted || !cloud.activated) return;
        if (!synced.ok && !failing) this.#parts.failed(synced.error);
        failing = !synced.ok;
      }
      hasBeenUp ||= network.isUp();
      if (!(await this.#pause(startMs, signal))) return;
    }
  }

  /** Waits for the rest of the period, even if that changes meanwhile. False when the power goes. */
  async #pause(startMs: number, signal: AbortSignal): Promise<boolean> {
    const { clock, variables } = this.#parts;
    while (!signal.aborted) {
      const replanned = new AbortController();
      this.#replanned = replanned;
      const leftMs = variables.get('cloud.solo.sync_period') * 1000 - (clock.monotonic() - startMs);
      const both = AbortSignal.any([signal, replanned.signal]);
      if (leftMs <= 0 || (leftMs <= maxTimerMs && (await pause(clock, leftMs, both)))) return true;
      // A period of more than 24 days is waited for in parts.
      if (leftMs > maxTimerMs) await pause(clock, maxTimerMs, both);
    }
    return false;
  }

  /** Pins that have a name, with the name. Spec: MOD-VAR-cloud.solo.gpio. */
  *#mapped(): Generator<{ readonly pin: number; readonly name: string }> {
    const { model, pins, variables } = this.#parts;
    for (let pin = 0; pin < model.gpioCount; pin++) {
      const name = variables.getAt(variable, pin);
      if (name !== '' && !pins.isFreed(pin)) yield { pin, name };
    }
  }

  /** Gives pins the levels of the controls that they belong to. */
  #drive(): void {
    const { cloud, pins } = this.#parts;
    for (const { pin, name } of this.#mapped()) {
      const value = capabilityOf(cloud.capabilities?.controls, name) && cloud.control(name);
      if (value === undefined) continue;
      const isHigh = typeof value === 'number' ? value !== 0 : highWords.test(value);
      pins.put(`${variable} ${pin}`, pin, isHigh ? 1 : 0);
    }
  }

  /** A sample of every pin that belongs to a stream, with the time if the module knows it. */
  #samples(): readonly Datum[] {
    const { cloud, rtc } = this.#parts;
    const t = rtc.isSet ? Math.floor(rtc.nowMs() / 1000) : 0;
    return Array.from(this.#mapped()).flatMap(({ pin, name }) => {
      const stream = capabilityOf(cloud.capabilities?.streams, name);
      const v = stream && suitedValue(String(this.#measure(pin, stream)), stream);
      return v === undefined ? [] : [{ n: name, v, t }];
    });
  }

  /** Millivolts where the board can measure them; the level for a stream whose values end at 1, and elsewhere. */
  #measure(pin: number, { max }: DataCapability): number {
    const { model, pins, variables } = this.#parts;
    if (max === 1 || !model.adc.pins.includes(pin)) return pins.level(pin);
    const scale = { vrefMv: variables.get('system.adc.vref'), gain: 1, bits: model.adc.bits };
    return sampleMillivolts(rawSample(pins.volts(pin), scale), scale);
  }
}
