import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { variableOf } from '@moorage/service/engine/settings/options';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type OptionSources,
  type OptionTable,
  readSecretFiles,
  resolveOptions,
  shownSecrets,
} from '../command-line/options.ts';
import { commands } from './index.ts';
import { readServiceSettings } from './serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'moorage-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const sources = (given: Partial<OptionSources>): OptionSources => ({ flags: {}, env: {}, file: {}, ...given });

const settings = commands.flatMap(({ parent, name, options }) =>
  Object.entries(options).map(([flag, row]) => ({ command: `${parent ?? ''} ${name}`, flag, row, options })),
);
const secrets = settings.filter(({ row }) => row.secret);
const byName = [...new Map(secrets.map((one) => [one.flag, one])).values()];

describe('secret settings', () => {
  it('are decided wherever a name sounds so', () => {
    const sounding = /secret|password|token|credential|key|url|^code$/i;
    const undecided = settings
      .filter(({ row }) => row.kind !== 'switch' && row.secret === undefined)
      .filter(({ flag, row }) => sounding.test(flag) || /URL|KEY|TOKEN|PASSWORD|SECRET/.test(row.placeholder ?? ''))
      // A file of a secret is none.
      .filter(({ flag, options }) => !options[flag.replace(/-file$/, '')]?.secret);
    expect(undecided.map(({ command, flag }) => `${command} --${flag}`)).toEqual([]);
    expect(byName.map(({ flag }) => flag).toSorted()).toEqual(
      'admin-password bus database oidc-client-secret password s3-secret-key smtp-url token'.split(' '),
    );
  });

  it.each(secrets)('$command --$flag has a file, and its help says why', ({ flag, row, options }) => {
    expect(options[`${flag}-file`]).toMatchObject({ kind: 'text', placeholder: 'FILE' });
    expect(row.help).toContain(
      `others see flags: better in ${variableOf(flag)}, or in a file that --${flag}-file names`,
    );
  });

  it.each(byName)('--$flag is read from a file that a flag, a variable or a key names', ({ flag }) => {
    const table: OptionTable = { [flag]: { kind: 'text', help: '', secret: true } };
    const path = file(flag, 'postgres://hush hush\r\n');
    const name = `${flag}-file`;
    for (const given of [
      { flags: { [name]: path } },
      { env: { [variableOf(name)]: path } },
      { file: { [name]: path } },
      { flags: { [name]: path }, env: { [variableOf(flag)]: 'weaker' } },
      { env: { [variableOf(name)]: path }, file: { [name]: '/nowhere' } },
    ])
      expect(resolveOptions(table, sources(given))).toMatchObject({ value: { [flag]: 'postgres://hush hush' } });
    const stronger = { flags: { [flag]: 'stronger' }, env: { [variableOf(name)]: '/nowhere' } };
    expect(resolveOptions(table, sources(stronger))).toMatchObject({ value: { [flag]: 'stronger' } });
  });

  it('are those of the service, too', () => {
    const flags = { 'smtp-url-file': file('mail', 'smtp://ada:hush@mail.example\n') };
    const env = { MOORAGE_OIDC_CLIENT_SECRET_FILE: file('oidc', ' hush\n') };
    expect(readServiceSettings(sources({ flags, env }))).toMatchObject({
      smtpUrl: 'smtp://ada:hush@mail.example',
      oidcClientSecret: ' hush',
    });
    const wrong = sources({ flags: { 'database-file': file('wrong', 'mysql://ada:hush@x/y') } });
    expect(() => readServiceSettings(wrong)).toThrow(
      '--database must be sqlite:PATH or postgres://…, not "mysql://ada:***@',
    );
  });

  const table: OptionTable = {
    token: { kind: 'text', help: '', secret: true },
    database: { kind: 'text', help: '', placeholder: 'URL', secret: true },
    host: { kind: 'text', help: '' },
  };

  it.each([
    [{ flags: { 'token-file': '/nowhere' } }, 'Option --token-file: file "/nowhere" cannot be read (ENOENT)'],
    [
      { env: { MOORAGE_TOKEN_FILE: tmpdir() } },
      `Variable MOORAGE_TOKEN_FILE: file "${tmpdir()}" cannot be read (EISDIR)`,
    ],
    [{ file: { 'token-file': file('empty', ' \n') } }, 'Setting "token-file" of the config file: file "'],
    [{ flags: { token: 'x', 'token-file': '/x' } }, 'Option --token and --token-file are both given; one is enough'],
  ])('that cannot be read are refused by name: %j', (given, message) => {
    const read = readSecretFiles(table, sources(given));
    expect(read.ok ? '' : read.error).toContain(message);
    expect(() => readServiceSettings(sources({ flags: { 'bus-file': '/nowhere' } }))).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining('--bus-file') }),
    );
  });

  it.each([
    [{ token: 'x' }, ['token']],
    [{ database: 'postgres://ada:hush@x/y' }, ['database']],
    [{ database: 'postgres://x/y?user=ada&password=hush' }, ['database']],
    [{ database: 'postgres://ada@x/y', host: 'x' }, []],
    [{ database: 'sqlite:x', 'token-file': '/x' }, []],
  ])('in flags are warned of, and only those: %j', (flags, names) => {
    const warnings = shownSecrets(table, flags);
    expect(warnings).toHaveLength(names.length);
    for (const [index, name] of names.entries())
      expect(warnings[index]).toContain(`--${name} in the list of processes`);
    expect(warnings.join()).not.toMatch(/hush/);
  });
});
