import { pbkdf2Sync } from 'node:crypto';
import { failure, type Result, success } from '@moorage/base';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

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

const AccessPoint = Type.Object(
  {
    /** Empty for a hidden network. */
    ssid: Type.String({ maxLength: 32 }),
    bssid: Type.String({ pattern: '^([0-9A-F]{2}:){5}[0-9A-F]{2}$' }),
    channel: Type.Integer({ minimum: 1, maximum: 14 }),
    security: Type.Enum([...securityWords]),
    passkey: Type.Optional(Type.String({ maxLength: 64 })),
    rssiDbm: Type.Integer({ minimum: -120, maximum: 0 }),
    /** How long an association takes here, in ms; over `wlan.join.timeout` it fails. */
    associateMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
    /** Refuses this many associations before the first that it lets in. */
    refusals: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
    /** How long the DHCP server takes, in ms; `null` when there is none. */
    dhcpMs: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 600_000 }), Type.Null()])),
  },
  { additionalProperties: false },
);

const Air = Type.Object({ accessPoints: Type.Array(AccessPoint, { maxItems: 200 }) }, { additionalProperties: false });

/** One access point within reach of the module. */
export type AccessPoint = Static<typeof AccessPoint>;

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

/** Reads a scenario file. The refusal is one line that names the first wrong place. */
export function parseAir(json: string): Result<Air, string> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    return failure(`The air file is not JSON: ${(cause as Error).message}`);
  }
  if (!Value.Check(Air, value)) {
    const first = Value.Errors(Air, value)[0];
    return failure(`The air file is wrong at "${first?.instancePath || '/'}": ${first?.message}`);
  }
  const keyless = value.accessPoints.find((point) => point.security !== 'open' && !point.passkey);
  if (keyless) return failure(`Access point "${keyless.ssid}" is secured and has no passkey`);
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
