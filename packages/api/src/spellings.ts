import { codePart, isDeviceUuid, isUuid, parseMac } from '@moorage/base';

const lower = (text: string): string => text.toLowerCase();

const address = (text: string): string => {
  const read = parseMac(text);
  return read.ok ? read.value : text;
};

/**
 * What clients may spell in several ways, and how records spell it. A text that is none of the kind stays as it is.
 * The service applies this once, where it validates requests. Spec: API-RULE-ids-1, API-RULE-ids-2.
 */
export const spellings = {
  /** Hexadecimal digits: record ids, hardware uuids, part ids. */
  id: lower,
  /** Six bytes: `AA:BB:CC:DD:EE:FF`. */
  mac: address,
  /** Any of the names of a device. */
  device: (text: string): string => (isUuid(text) || isDeviceUuid(text) ? lower(text) : address(text)),
  /** Codes of products, platforms, flavors and connectors. */
  code: codePart,
} as const satisfies Readonly<Record<string, (text: string) => string>>;

export type Spelling = keyof typeof spellings;

/** Keyword of the schemas of such texts. */
export const spellingKeyword = 'x-spelling';

/** Options of the schema of such a text. */
export const spelt = (spelling: Spelling) => ({ [spellingKeyword]: spelling });
