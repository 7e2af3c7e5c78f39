import { failure, type Result, success } from './result.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const deviceUuidPattern = /^[0-9a-f]{40}$/i;

/** A record id: a uuid in its usual spelling, either letter case. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);

/** A device's hardware uuid: 40 hex digits (20 bytes), either letter case. Records hold it in lower case. */
export const isDeviceUuid = (text: string): boolean => deviceUuidPattern.test(text);

/** The first 8 digits of a hardware uuid: the part id of its platform. */
export const platformPartId = (deviceUuid: string): string => deviceUuid.slice(0, 8).toLowerCase();

/**
 * A MAC or Bluetooth address in any usual spelling (colons, hyphens, dots or nothing, either case),
 * returned as `AA:BB:CC:DD:EE:FF`.
 */
export function parseMac(text: string): Result<string, 'malformed'> {
  if (/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/.test(text)) return success(text);
  const separated = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i.test(text) || /^[0-9a-f]{4}(\.[0-9a-f]{4}){2}$/i.test(text);
  if (!separated && !/^[0-9a-f]{12}$/i.test(text)) return failure('malformed');
  const digits = text.replace(/[:.-]/g, '').toUpperCase();
  return success((digits.match(/../g) ?? []).join(':'));
}

/** A text as a part of a code: upper case, and `_` for what codes may not hold. Reference: model 2.1. */
export const codePart = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9_.-]/g, '_');

/** A name whose final `#` stands for the last four digits of a MAC address `AA:BB:CC:DD:EE:FF`. */
export const nameWithDigits = (name: string, mac: string): string =>
  name.replace(/#$/, mac.replaceAll(':', '').slice(-4));
