/** Last parts of the names of variables whose values are keys or passwords. */
const secretNames = ['passkey', 'password', 'passphrase', 'token', 'secret'] as const;

/** What stands in the place of a value. It says nothing of its length. */
export const mask = '********';

/** A line of a list of variables: `wlan.passkey: secret harbour`. */
const assignment = /^([a-z0-9_. ]*?([a-z0-9_]+): )(.+)$/i;

/** A command that reads variables, `get`, and what it names last; modules take names abbreviated, as in `get wl p`. */
const reading = /^\s*get\s+(?:\S*[.\s])?([a-z0-9_]+)\s*$/i;

const isSecret = (name: string): boolean => secretNames.some((secret) => secret === name.toLowerCase());

/** Whether a command line may ask for the value of one secret variable, under its name or an abbreviation of that. */
function mayAskForSecret(command: string): boolean {
  const name = reading.exec(command)?.[1]?.toLowerCase();
  return name !== undefined && secretNames.some((secret) => secret.startsWith(name));
}

/**
 * The answer to a command with the values of secret variables masked. One that may be a secret is masked too: it can
 * be shown.
 */
export function maskSecrets(command: string, answer: string): { readonly text: string; readonly masked: boolean } {
  const lines = answer.split(/\r?\n/);
  // The value alone is the answer to `get` of one variable.
  const isValue = mayAskForSecret(command) && lines.filter((line) => line.trim() !== '').length === 1;
  let masked = false;
  const text = lines.map((line) => {
    const [, head, name] = assignment.exec(line) ?? [];
    const listed = head !== undefined && name !== undefined && isSecret(name);
    if (!listed && (!isValue || line.trim() === '')) return line;
    masked = true;
    return listed ? `${head}${mask}` : mask;
  });
  return { text: text.join('\n'), masked };
}
