import { failure, nameWithDigits, type Result, success } from '@moorage/base';
import type { Addresses } from './join-parts.ts';

/** What the variables say when the access point starts. */
export interface SoftApSettings {
  /** A `#` at its end may stand for the last four digits of the MAC address. Spec: MOD-VAR-softap.ssid. */
  readonly ssid: string;
  /** Whether it does. Spec: MOD-VAR-system.string_substitution. */
  readonly substitutes: boolean;
  readonly ip: string;
  /** 0 is automatic. */
  readonly channel: number;
  /** Empty for an open network. Spec: MOD-VAR-softap.passkey. */
  readonly passkey: string;
}

interface SoftApState {
  readonly ssid: string;
  readonly secured: boolean;
  readonly ip: string;
  readonly channel: number;
}

const automaticChannel = 1;

/** The module's own access point: up or down, with its address. */
export class SoftAp {
  readonly #mac: string;
  #state: SoftApState | undefined;

  constructor(mac: string) {
    this.#mac = mac;
  }

  /** `undefined` while it is down. */
  get state(): SoftApState | undefined {
    return this.#state;
  }

  /** It is gateway and name server of its clients. Spec: MOD-VAR-softap.static.ip. */
  get addresses(): Addresses | undefined {
    const ip = this.#state?.ip;
    return ip === undefined ? undefined : { ip, netmask: '255.255.255.0', gateway: ip, dns: ip };
  }

  /** Starts it; with a station link both use the link's channel. Fails without a name. */
  up(settings: SoftApSettings, stationChannel: number | undefined): Result<SoftApState, 'no-ssid'> {
    if (this.#state) return success(this.#state);
    const ssid = settings.substitutes ? nameWithDigits(settings.ssid, this.#mac) : settings.ssid;
    if (ssid === '') return failure('no-ssid');
    const channel = stationChannel ?? (settings.channel || automaticChannel);
    this.#state = { ssid, secured: settings.passkey !== '', ip: settings.ip, channel };
    return success(this.#state);
  }

  down(): void {
    this.#state = undefined;
  }
}
