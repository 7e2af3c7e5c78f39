/** Parts of names behind which passwords, keys and tokens stand, whatever stands around them. */
const anywhere = /(?<!com)pass(?!iv|ed|age|ing|thr)|pwd|secret|token|psk|credential|kennwort|contrase|senha/;

/** Parts that stand in other names, too: what they name has to look like a key. */
const oftenHarmless = /key|(^|[^a-z])(pin|cik|puk|pw)([^a-z]|$)|[^s]pin$/;

/** Shortest value of those, in characters: pins of a board have one or two digits. */
const minKeyLength = 4;

/** Words of a name, which may be written in capitals of its own: `doorPIN2` is `door pin 2`. */
const wordsOf = (name: string): string => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();

/** Whether the name of a variable, a field or an option is that of a password, key or token; it need not be known. */
export const isSecretName = (name: string): boolean => {
  const words = wordsOf(name);
  return anywhere.test(words) || oftenHarmless.test(words);
};

/** Whether a value of such a name is one: no switch, and not hidden already. */
export function isSecretValue(name: string, value: string): boolean {
  if (/^(\*+|[01]|on|off|true|false|yes|no|null|none|enabled|disabled)?$/i.test(value.trim())) return false;
  return anywhere.test(wordsOf(name)) || value.length >= minKeyLength;
}
