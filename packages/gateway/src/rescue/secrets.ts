import type { Named, Setting } from '../module/reports.ts';

/** Last words of names of variables that hold passwords, keys and tokens. */
const secretName = /(^|\.)(passkey|password|passwd|psk|secret|token|cik)$/;

/** Whether a variable holds a password. */
export const isSecretName = (name: string): boolean => secretName.test(name.split(' ', 1)[0] ?? '');

/** Shortest value of a password that is looked for elsewhere, in characters; shorter ones stand in any text. */
const minSoughtLength = 6;

/**
 * Says why a file, or the value of a variable, is left out of an archive without passwords; `undefined` of one that holds
 * none that can be told.
 */
export function secretFinder(
  variables: readonly Named[],
  settings: readonly Setting[],
): (content: Uint8Array) => string | undefined {
  const secrets = variables.filter(({ name }) => isSecretName(name));
  const calls = secrets
    .flatMap(({ name, shortcut }) => [name, shortcut])
    .filter((call) => call !== '')
    .map((call) => call.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(' ', String.raw`\s+`));
  const names = calls.join('|');
  // A line begins once: blank lines, of which a file may have megabytes, are not looked through from each of them.
  const sets = new RegExp(String.raw`(^|[\r\n])[^\S\r\n]*set\s+(${names})\s+(?!"")\S|"(${names})"\s*:\s*"[^"]`);
  const values = settings.filter(({ name, value }) => isSecretName(name) && value.length >= minSoughtLength);
  return (content) => {
    const text = Buffer.from(content).toString('latin1');
    if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return 'it is a private key';
    if (calls.length > 0 && sets.test(text)) return 'it sets a password';
    return values.some(({ value }) => text.includes(value)) ? 'a password stands in it' : undefined;
  };
}
