import { pbkdf2Sync } from 'node:crypto';
import { dayMs, failure, type Result, success } from '@moorage/base';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { schemaMistake } from '../model/schema-mistake.ts';

/** Words of `wlan.security`, in the order of their numbers in `network_verify`. Spec: MOD-VAR-wlan.security. */
export const securityWords = ['open', 'wep', 'wpa_aes', 'wpa_tkip', 'wpa2_aes', 'wpa2_mixed', 'wpa2_tkip'] as const;

export type Security = (typeof securityWords)[number];

/** As scan tables and the probe's log line print them. */
export const securityNames: Readonly<Record<Security, string>> = {
  open: 'Open',
  wep: 'WEP',
  wpa_aes: 'WPA-AES',
  wpa_tkip: 'WPA-TKIP',
  wpa2_aes: 'WPA2-AES',
  wpa2_mixed: 'WPA2-Mixed',
  wpa2_tkip: 'WPA2-TKIP',
};

const ms = (minimum = 0) => Type.Integer({ minimum, maximum: 604_800_000 });
const dbm = () => Type.Integer({ minimum: -120, maximum: 0 });
const ipv4 = () => Type.String({ pattern: '^(25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}$' });

/** A stretch of time, once or again and again. Times count from the moment at which the module was made, in ms. */
const Spell = Type.Object({ atMs: ms(), forMs: ms(1), everyMs: Type.Optional(ms(1)) }, { additionalProperties: false });

const Wps = Type.Object(
  {
    /** When its push button is active. */
    button: Type.Optional(Type.Array(Spell, { maxItems: 20 })),
    pin: Type.Optional(Type.String({ pattern: '^(\\d{4}|\\d{8})$' })),
  },
  { additionalProperties: false },
);

const Addresses = Type.Object(
  { ip: ipv4(), netmask: ipv4(), gateway: ipv4(), dns: ipv4() },
  { additionalProperties: false },
);

const AccessPoint = Type.Object(
  {
    /** Empty when the name of the network is unknown. */
    ssid: Type.String({ maxLength: 32 }),
    /** Its beacons carry no name: only who asks for it by its name finds it. */
    hidden: Type.Optional(Type.Boolean()),
    bssid: Type.String({ pattern: '^([0-9A-F]{2}:){5}[0-9A-F]{2}$' }),
    channel: Type.Integer({ minimum: 1, maximum: 14 }),
    security: Type.Enum([...securityWords]),
    passkey: Type.Optional(Type.String({ maxLength: 64 })),
    rssiDbm: dbm(),
    /** Every reading of the strength is up to this much higher or lower. */
    rssiJitterDb: Type.Optional(Type.Integer({ minimum: 0, maximum: 40 })),
    /** From each of these times on the strength is another, as when a person walks about. */
    signal: Type.Optional(
      Type.Array(Type.Object({ atMs: ms(), rssiDbm: dbm() }, { additionalProperties: false }), { maxItems: 100 }),
    ),
    /** What antenna 1 and antenna 2 lose, in dB. */
    antennaLossDb: Type.Optional(
      Type.Tuple([Type.Integer({ minimum: 0, maximum: 60 }), Type.Integer({ minimum: 0, maximum: 60 })]),
    ),
    /** It does not hear a module that sends with less power. */
    needsTxDbm: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
    /** Its fastest rate, in Mbit/s. */
    rateMbps: Type.Optional(Type.Number({ minimum: 1, maximum: 1000 })),
    /** Chance in 100 that one pass of a scan or probe misses it. */
    missPercent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    /** When it is silent: links to it are lost, and scans do not find it. */
    outages: Type.Optional(Type.Array(Spell, { maxItems: 20 })),
    /** How long an association takes here, in ms; over `wlan.join.timeout` it fails. */
    associateMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
    /** Refuses this many associations before the first that it lets in. */
    refusals: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
    /** Takes every key for a wrong one. */
    rejectsKeys: Type.Optional(Type.Boolean()),
    /** How long the DHCP server takes, in ms; `null` when there is none. */
    dhcpMs: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 600_000 }), Type.Null()])),
    /** What its DHCP server gives; without it what the network behind the radio gives. */
    network: Type.Optional(Addresses),
    wps: Type.Optional(Wps),
  },
  { additionalProperties: false },
);

/** A station within reach of the module's own access point. */
const Station = Type.Object(
  {
    mac: Type.String({ pattern: '^([0-9A-F]{2}:){5}[0-9A-F]{2}$' }),
    /** The key that it tries; none for an open network. */
    passkey: Type.Optional(Type.String({ maxLength: 64 })),
    /** When it comes after the access point has started, in ms. */
    joinsAfterMs: Type.Optional(Type.Integer({ minimum: 0, maximum: dayMs })),
    /** When nothing more is heard of it after it has joined, in ms; without it the station stays. */
    silentAfterMs: Type.Optional(Type.Integer({ minimum: 0, maximum: dayMs })),
  },
  { additionalProperties: false },
);

const Air = Type.Object(
  {
    accessPoints: Type.Array(AccessPoint, { maxItems: 200 }),
    stations: Type.Optional(Type.Array(Station, { maxItems: 200 })),
  },
  { additionalProperties: false },
);

/** One access point within reach of the module. */
export type AccessPoint = Static<typeof AccessPoint>;

export type Spell = Static<typeof Spell>;

/** The radio surroundings of a module. */
export type Air = Static<typeof Air>;

/** One open and one WPA2 network, so that a new user can join something. */
export const defaultAir: Air = {
  accessPoints: [
    { ssid: 'harbour-open', bssid: '02:6D:6F:00:00:01', channel: 1, security: 'open', rssiDbm: -61 },
    {
      ssid: 'harbour',
      bssid: '02:6D:6F:00:00:06',
      channel: 6,
      security: 'wpa2_aes',
      passkey: 'moorings',
      rssiDbm: -47,
    },
  ],
};

/** Reads a scenario file. The refusal is one sentence that names the first wrong key and its value. */
export function parseAir(json: string): Result<Air, string> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    return failure(`It is not JSON: ${(cause as Error).message}`);
  }
  if (!Value.Check(Air, value)) {
    return failure(schemaMistake(Value.Errors(Air, value), value));
  }
  const index = value.accessPoints.findIndex((point) => point.security !== 'open' && !point.passkey);
  const keyless = value.accessPoints[index];
  if (keyless) return failure(`Key "accessPoints.${index}.passkey" is missing: the security is "${keyless.security}"`);
  return success(value);
}

/** The WPA key of a pass phrase, as 64 lower-case hex digits. Spec: MOD-CMD-network_verify. */
export const wpaKey = (passphrase: string, ssid: string): string =>
  pbkdf2Sync(passphrase, ssid, 4096, 32, 'sha1').toString('hex');

/** Whether `passkey` opens the access point: the phrase itself, or its WPA key where the security is WPA. */
export function keyOpens(point: AccessPoint, passkey: string): boolean {
  if (point.security === 'open' || passkey === point.passkey) return true;
  if (point.security === 'wep' || !/^[0-9a-f]{64}$/i.test(passkey)) return false;
  return passkey.toLowerCase() === wpaKey(point.passkey ?? '', point.ssid);
}
