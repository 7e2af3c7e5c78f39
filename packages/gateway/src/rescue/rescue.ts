import { type Clock, failure, type Result, success } from '@moorage/base';
import { answerText, type Driver, type DriverFailure, driverFailure } from '../driver/driver.ts';
import { learnRefusals } from '../driver/refusals.ts';
import { beginFetches, type Fetching, readFile, statFile } from '../module/files.ts';
import {
  type ListedFile,
  type Named,
  parseCommands,
  parseListing,
  parseSettings,
  parseVariables,
  type Setting,
} from '../module/reports.ts';
import { askText, askUntil } from '../module/tables.ts';
import type { Archive, RescuedFile, Texts } from './archive.ts';
import { isSecretName, secretFinder } from './secrets.ts';

export interface RescueOptions {
  readonly clock: Clock;
  /** Keeps passwords and private keys. */
  readonly withSecrets?: boolean;
  /** Leaves the contents of files out. */
  readonly withoutContents?: boolean;
  /** Called before each file and at the end, with what has been read of all bytes. */
  readonly onProgress?: (readBytes: number, totalBytes: number) => void;
}

type Unread = { readonly what: string; readonly why: string }[];

/** Bits of files that never leave a module: executable, encrypted, system, bootable. */
const closedFlags = 0x1e;

/**
 * Reads all that a module shows of itself. It writes nothing: no variable, no file, no `save`; streams are given back.
 * What cannot be read is listed; only a module that is not there at all is a failure.
 */
export async function rescue(driver: Driver, options: RescueOptions): Promise<Result<Archive, DriverFailure>> {
  const unread: Unread = [];
  const version = await askUntil(driver, 'version', (text) => {
    const line = text.split('\n').at(-1)?.trim() ?? '';
    return line === '' ? failure('The module tells no version') : success(line);
  });
  if (!version.ok) return version;
  const listed = await askUntil(driver, 'ls -v', (text) => {
    const parsed = parseListing(text);
    return parsed.ok ? success({ text, files: parsed.value }) : parsed;
  });
  if (!listed.ok) return listed;
  const wanted = options.withoutContents ? [] : listed.value.files.filter(({ size }) => size > 0);
  const fetches = beginFetches(driver, wanted);
  const asked = async (line: string): Promise<string> => {
    const text = await askText(driver, line);
    if (!text.ok) unread.push({ what: line, why: text.error.detail });
    return text.ok ? text.value : '';
  };
  const commandsText = await asked('help commands');
  const variablesText = await asked('help variables');
  const variables = parseVariables(variablesText);
  const commands = parseCommands(commandsText);
  if (commands.length === 0 && variables.length === 0)
    return driverFailure('garbled', 'What answers here names no commands and no variables');
  const settings = await readSettings(driver, variables, options, unread);
  if (!settings.ok) return settings;
  const refusals = await learnRefusals((line) => driver.run(line));
  if (!refusals.ok) return refusals;
  const gpios = await driver.run('gpios_get');
  const pins = gpios.ok && gpios.value.code === 0 ? /^[01X]{1,99}$/.exec(answerText(gpios.value))?.[0] : undefined;
  const files = await readFiles(driver, listed.value.files, {
    secretIn: settings.value.secretIn,
    fetches,
    options,
    unread,
  });
  if (!files.ok) return files;
  const texts: Texts = {
    commands: commandsText,
    variables: variablesText,
    settings: settings.value.text,
    listing: listed.value.text,
  };
  return success({
    taken_at: new Date(options.clock.now()).toISOString(),
    address: driver.address,
    transport: driver.transport,
    version: version.value,
    ...(pins !== undefined && { gpio_count: pins.length }),
    commands: [...commands],
    variables: [...variables],
    settings: [...settings.value.shown],
    tables: [...settings.value.tables],
    refusals: [...refusals.value],
    secrets: options.withSecrets ? 'included' : 'left-out',
    unread,
    texts,
    files: files.value,
  });
}

interface ReadSettings {
  /** As the archive has them. */
  readonly shown: readonly Setting[];
  readonly text: string;
  readonly tables: readonly string[];
  /** Why a content is left out; `undefined` of one that is not. */
  readonly secretIn: (content: Uint8Array) => string | undefined;
}

/** All variables; those that `get all` leaves out are asked for one by one. */
async function readSettings(
  driver: Driver,
  variables: readonly Named[],
  { withSecrets = false }: RescueOptions,
  unread: Unread,
): Promise<Result<ReadSettings, DriverFailure>> {
  const names = new Set(variables.map(({ name }) => name));
  const all = await askText(driver, 'get all');
  if (!all.ok && all.error.error !== 'garbled') return all;
  const { settings, tables } = parseSettings(all.ok ? all.value : '', names);
  const known = [...settings];
  const seen = new Set([...tables, ...settings.map(({ name }) => name.split(' ', 1)[0] ?? '')]);
  for (const name of names) {
    if (seen.has(name)) continue;
    const one = await askText(driver, `get ${name}`);
    if (one.ok && !one.value.includes('\n')) known.push({ name, value: one.value });
    else if (!one.ok && one.error.error !== 'garbled') return one;
    else if (!one.ok) unread.push({ what: name, why: one.error.detail });
  }
  const text = all.ok ? all.value : '';
  if (withSecrets) return success({ shown: known, text, tables, secretIn: () => undefined });
  const secretIn = secretFinder(variables, known);
  const hides = (value: string): string | undefined => secretIn(Buffer.from(value));
  /** Lines of `get all` with a password, and what stands there instead. */
  const blanked = new Map<string, string>();
  const shown = known.map((setting) => {
    const { name, value } = setting;
    const why = value === '' ? undefined : isSecretName(name) ? 'it is a password' : hides(value);
    if (why === undefined) return setting;
    unread.push({ what: name, why });
    blanked.set(`${name}: ${value}`, `${name}: `);
    return { name, value: '' };
  });
  const lines = text.split('\n').map((line) => blanked.get(line) ?? line);
  // What is left is a row of a table.
  const rows = lines.filter((line) => hides(line) !== undefined);
  if (rows.length > 0) unread.push({ what: 'rows of tables in "get all"', why: 'a password stands in them' });
  const clean = lines.map((line) => (rows.includes(line) ? '' : line)).join('\n');
  return success({ shown, text: clean, tables, secretIn });
}

interface FileContext {
  readonly secretIn: ReadSettings['secretIn'];
  readonly fetches: ReadonlyMap<string, Fetching>;
  readonly options: RescueOptions;
  readonly unread: Unread;
}

async function readFiles(
  driver: Driver,
  listed: readonly ListedFile[],
  { secretIn, fetches, options, unread }: FileContext,
): Promise<Result<readonly RescuedFile[], DriverFailure>> {
  const totalBytes = listed.reduce((sum, { size }) => sum + size, 0);
  let readBytes = 0;
  const files: RescuedFile[] = [];
  for (const file of listed) {
    options.onProgress?.(readBytes, totalBytes);
    const stat = await statFile(driver, file.name);
    if (!stat.ok) return stat;
    const crc = stat.value?.crc;
    const content = options.withoutContents ? undefined : await contentOf(driver, file, crc, fetches.get(file.name));
    readBytes += file.size;
    if (content && !content.ok && content.error.error === 'unreachable') return content;
    const why = !content ? undefined : content.ok ? undefined : content.error.detail;
    const secret = content?.ok ? secretIn(content.value) : undefined;
    const reason = why ?? secret;
    if (reason !== undefined) unread.push({ what: file.name, why: reason });
    files.push({ ...file, crc, content: content?.ok && secret === undefined ? content.value : undefined });
  }
  options.onProgress?.(totalBytes, totalBytes);
  return success(files);
}

async function contentOf(
  driver: Driver,
  file: ListedFile,
  crc: number | undefined,
  fetching: Fetching,
): Promise<Result<Uint8Array, DriverFailure>> {
  if (file.size === 0) return success(new Uint8Array());
  const read = await readFile(driver, file, crc, fetching);
  if (read.ok || (file.flags & closedFlags) === 0 || read.error.error === 'unreachable') return read;
  return { ok: false, error: { error: 'garbled', detail: 'the module does not give out such files' } };
}
