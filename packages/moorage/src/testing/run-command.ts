import { Writable } from 'node:stream';
import { unwrap } from '@moorage/base';
import { resolveOptions } from '../command-line/options.ts';
import { openReporter } from '../command-line/output.ts';
import { commands } from '../commands/index.ts';

/**
 * Runs a command of a group with the token of an account; the objects that it prints. The service is what `fetch` leads to.
 *
 * @throws what the command throws
 */
export async function runCommand(
  parent: string,
  token: string,
  name: string,
  args: readonly string[] = [],
  flags: Readonly<Record<string, string | true>> = {},
): Promise<Record<string, unknown>[]> {
  const command = commands.find((one) => one.parent === parent && one.name === name);
  if (!command) throw new Error(`There is no "moorage ${parent} ${name}"`);
  let printed = '';
  const out = new Writable({
    write(part, _encoding, done) {
      printed += String(part);
      done();
    },
  });
  const sources = { flags: { api: 'http://service', token, logins: '/nowhere', ...flags }, env: {}, file: {} };
  const options = unwrap(resolveOptions(command.options, sources));
  await command.run({ options, sources, args, reporter: openReporter(true, out), json: true });
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
