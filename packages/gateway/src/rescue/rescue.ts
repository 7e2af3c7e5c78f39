import { failure, type Result, success } from '@moorage/base';
import { answerText, type Driver, type DriverFailure, driverFailure } from '../driver/driver.ts';
import { learnRefusals } from '../driver/refusals.ts';
import { beginFetches } from '../module/files.ts';
import { namesIn } from '../module/lenient.ts';
import { type Named, parseCommands, parseVariables, type Setting } from '../module/reports.ts';
import { askText, askUntil } from '../module/tables.ts';
import type { Archive, Texts } from './archive.ts';
import type { RescueOptions, Unread } from './options.ts';
import { bounded } from './patience.ts';
import { readable, readFiles, readListing } from './read-files.ts';
import { readSettings } from './read-settings.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Longest version line, in characters, and longest reason of the list of what is missing. */
const maxVersionLength = 1_000;
const maxWhyLength = 1_000;

/** Most names of a list, and the longest of them. */
const maxNames = 5_000;
const maxNameLength = 256;

/**
 * Reads all that a module shows of itself. It writes nothing: no variable, no file, no `save`; streams are given back.
 * What cannot be read is listed, whatever it is, and what has come is kept; a failure is only a module that is not there, goes
 * meanwhile, has none of it, or whose answers do not fit the questions at the end.
 */
export async function rescue(driver: Driver, options: RescueOptions): Promise<Result<Archive, DriverFailure>> {
  const unread: Unread = [];
  const read = await readAll(bounded(driver), options, unread);
  if (!read.ok) return read;
  const clipped = unread.map(({ what, why, kind }) => ({
    what: what.slice(0, maxNameLength),
    why: why.slice(0, maxWhyLength),
    ...(kind && { kind }),
  }));
  const archive: Archive = { ...read.value, unread: clipped };
  return success(options.withSecrets ? archive : withoutSecrets(archive));
}

async function readAll(
  driver: Driver,
  options: RescueOptions,
  unread: Unread,
): Promise<Result<Omit<Archive, 'unread'>, DriverFailure>> {
  const version = await readVersion(driver);
  if (!version.ok) return version;
  const listed = await readListing(driver, unread);
  if (!listed.ok) return listed;
  const taken = readable(listed.value.files, unread);
  const fetches = beginFetches(driver, options.withoutContents ? [] : taken.filter(({ size }) => size > 0));
  const lists = await readLists(driver, unread);
  if (!lists.ok) return lists;
  const settings = await readSettings(driver, lists.value.variables, unread);
  if (!settings.ok) return settings;
  const { commands } = lists.value;
  if (commands.length === 0 && settings.value.settings.length === 0 && listed.value.files.length === 0)
    return driverFailure('garbled', 'What answers here names no commands, no variables and no files');
  const refusals = await learnRefusals((line) => driver.run(line));
  if (!refusals.ok) return refusals;
  const gpios = await driver.run('gpios_get');
  const pins = gpios.ok && gpios.value.code === 0 ? /^[01X]{1,99}$/.exec(answerText(gpios.value))?.[0] : undefined;
  const files = await readFiles(driver, taken, { fetches, options, unread });
  if (!files.ok) return files;
  // An answer that has been taken for that of another question would have moved all behind it.
  const again = await readVersion(driver);
  if (!again.ok) return again;
  if (again.value !== version.value)
    return driverFailure('garbled', 'The answers do not fit the questions: nothing of it is to be believed');
  const texts: Texts = {
    commands: lists.value.commandsText,
    variables: lists.value.variablesText,
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
    variables: namedBy(lists.value.variables, settings.value.settings),
    settings: [...settings.value.settings],
    tables: settings.value.tables.filter(({ length }) => length <= maxNameLength),
    refusals: refusals.value.filter(({ text }) => text.length <= maxNameLength),
    secrets: 'included',
    texts,
    files: files.value,
  });
}

const readVersion = (driver: Driver): Promise<Result<string, DriverFailure>> =>
  askUntil(driver, 'version', (text) => {
    const line = text.split('\n').at(-1)?.trim() ?? '';
    return line === '' || line.length > maxVersionLength ? failure('The module tells no version') : success(line);
  });

/** What a module names of itself. */
async function readLists(driver: Driver, unread: Unread) {
  const asked = async (line: string): Promise<Result<string, DriverFailure>> => {
    const text = await askText(driver, line);
    if (text.ok || text.error.error === 'unreachable') return text;
    unread.push({ what: line, why: text.error.detail, kind: 'failed' });
    return success('');
  };
  const commandsText = await asked('help commands');
  if (!commandsText.ok) return commandsText;
  const variablesText = await asked('help variables');
  if (!variablesText.ok) return variablesText;
  const parsed = parseCommands(commandsText.value);
  const commands = parsed.length > 0 ? parsed : namesIn(commandsText.value);
  const variables = parseVariables(variablesText.value);
  // Without headers a refusal in words that are not known looks like an answer.
  const lists = { 'help commands': commands, 'help variables': variables };
  for (const [what, named] of Object.entries(lists))
    if (named.length === 0 && !unread.some((one) => one.what === what))
      unread.push({ what, why: 'it names none', kind: 'failed' });
  const bound = (named: readonly Named[]): Named[] =>
    named.filter((one) => one.name.length <= maxNameLength && one.shortcut.length <= maxNameLength).slice(0, maxNames);
  return success({
    commandsText: commandsText.value,
    variablesText: variablesText.value,
    commands: bound(commands),
    variables: bound(variables),
  });
}

/** The variables of a list; without one those that have a value. */
const namedBy = (listed: readonly Named[], settings: readonly Setting[]): Named[] => {
  if (listed.length > 0) return [...listed];
  const names = new Set(settings.map(({ name }) => name.split(' ', 1)[0] ?? ''));
  return [...names].map((name) => ({ name, shortcut: '' }));
};
