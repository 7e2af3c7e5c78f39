/** A text as a part of a product code: upper case, and `_` for what codes may not hold. Reference: model 2.1. */
export const codePart = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9_.-]/g, '_');

/** Longest code that may be sent, in characters. */
const codeLimit = 64;

/** The code that a title suggests: `Tide gauge 2` gives `TIDE_GAUGE_2`. */
export const suggestCode = (title: string): string =>
  title
    .normalize('NFD')
    .toUpperCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Z0-9.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, codeLimit);

export const isCode = (code: string): boolean => /^[A-Za-z0-9_.-]{1,64}$/.test(code);

/** The full code that the service will give the product: `<OWNER>-<PLATFORM>_<NAME>`. */
export function fullCode(owner: string, platformCode: string, code: string): string {
  const short = codePart(code);
  const prefix = `${codePart(platformCode)}_`;
  return `${codePart(owner)}-${short.startsWith(prefix) ? short : prefix + short}`;
}
