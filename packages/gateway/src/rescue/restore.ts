import { formatVersion, type Result, success } from '@moorage/base';
import { answerText, type Driver, type DriverFailure, quoted } from '../driver/driver.ts';
import { converge, lettersOf, type Target, writtenFile } from '../module/converge.ts';
import type { Setting } from '../module/reports.ts';
import { isSecretName } from '../module/secret-names.ts';
import type { Archive, RescuedFile } from './archive.ts';
import { isUsers } from './twin.ts';

/** Programs and radio firmware, which no command writes. Reference: flash 2.1. */
const firmwareTypes: ReadonlySet<number> = new Set([0x00, 0x01, 0x80, 0x81]);

/**
 * Settings of the line itself come last, because answers look different from then on; among them the one that sets them all
 * comes first.
 */
const modeName = 'system.cmd.mode';
const turnOf = (name: string): number => (name === modeName ? 1 : /^system\.(cmd\.|print_level)/.test(name) ? 2 : 0);

/** What the mode of the line sets with itself. Reference: line 2.1. */
const setByMode = /^system\.(cmd\.(echo|header_enabled|prompt_enabled)|print_level)$/;

/** What an archive has that a module has not, or has otherwise. */
export interface Differences {
  readonly files: readonly RescuedFile[];
  readonly settings: readonly (Setting & { readonly now: string | undefined })[];
  /** Files that differ but cannot be written, and why. */
  readonly skipped: readonly { readonly what: string; readonly why: string }[];
}

const factsOf = ({ size, crc, version, type, flags }: RescuedFile): string =>
  [size, crc ?? '', formatVersion(version), type, lettersOf(flags)].join();

/** What has to be written to make a module as the archive is; files and variables that only the module has stay. */
export function differences(wanted: Archive, now: Archive): Differences {
  const differing = wanted.files.filter((file) => {
    const there = now.files.find(({ name }) => name === file.name);
    return !there || factsOf(there) !== factsOf(file);
  });
  const why = ({ type, content }: RescuedFile): string | undefined =>
    firmwareTypes.has(type) ? 'firmware' : content ? undefined : 'not in the archive';
  const values = new Map(now.settings.map(({ name, value }) => [name, value]));
  const names = new Set(now.variables.map(({ name }) => name));
  const differs = ({ name, value }: Setting): boolean =>
    names.has(name.split(' ', 1)[0] ?? '') && values.get(name) !== value;
  const setsMode = wanted.settings.some((setting) => setting.name === modeName && differs(setting));
  const unread = new Set(wanted.unread.map(({ what }) => what));
  // What is empty because it was left out is not known.
  const isKnown = ({ name, value }: Setting): boolean => value !== '' || !(isSecretName(name) || unread.has(name));
  const isWanted = (setting: Setting): boolean =>
    isUsers(setting.name) && (differs(setting) || (setsMode && setByMode.test(setting.name))) && isKnown(setting);
  return {
    files: differing.filter((file) => why(file) === undefined),
    settings: wanted.settings.filter(isWanted).map((setting) => ({ ...setting, now: values.get(setting.name) })),
    skipped: differing.flatMap((file) => {
      const reason = why(file);
      return reason === undefined ? [] : [{ what: file.name, why: reason }];
    }),
  };
}

/**
 * Has a module forget what was set and not saved, so that what is compared is what is saved, and a `save` makes nothing lasting but
 * what a restore sets. False when it has no command for that.
 */
export async function loadSaved(driver: Driver): Promise<Result<boolean, DriverFailure>> {
  const loaded = await driver.run('load', { changesLine: true });
  return loaded.ok ? success(loaded.value.code === 0) : loaded;
}

/** Whether a module of which that is known can forget what was not saved. */
export const canLoad = ({ commands }: Archive): boolean => commands.some(({ name }) => name === 'load');

/**
 * Writes the differences, file by file, then the variables, and saves them when there are any; each is read back. The result names
 * what the module did not take.
 */
export async function restore(
  driver: Driver,
  { files, settings }: Differences,
  onStep: (what: string) => void = () => {},
): Promise<Result<readonly string[], DriverFailure>> {
  const targets: Target[] = files.flatMap((file) =>
    file.content ? [{ name: file.name, file: writtenFile(file, file.content) }] : [],
  );
  const written = await converge(driver, targets, onStep);
  if (!written.ok) return written;
  const ofLine = settings.filter(({ name }) => turnOf(name) > 0).toSorted((a, b) => turnOf(a.name) - turnOf(b.name));
  const others = settings.filter(({ name }) => turnOf(name) === 0);
  const refused = others.length === 0 ? success([]) : await putAndSave(driver, others, onStep);
  if (!refused.ok || ofLine.length === 0) return refused;
  const refusedOfLine = await putAndSave(driver, ofLine, onStep);
  return refusedOfLine.ok ? success([...new Set([...refused.value, ...refusedOfLine.value])]) : refusedOfLine;
}

async function putAndSave(
  driver: Driver,
  settings: readonly Setting[],
  onStep: (what: string) => void,
): Promise<Result<readonly string[], DriverFailure>> {
  const refused: string[] = [];
  for (const setting of settings) {
    onStep(setting.name);
    const taken = await put(driver, setting);
    if (!taken.ok) return taken;
    if (!taken.value) refused.push(setting.name);
  }
  const saved = await driver.run('save');
  if (!saved.ok) return saved;
  return success(saved.value.code === 0 ? refused : [...refused, 'save']);
}

/** Sets a variable; whether the module has it then. */
async function put(driver: Driver, { name, value }: Setting): Promise<Result<boolean, DriverFailure>> {
  const set = await driver.run(`set ${name} ${quoted(value)}`, { changesLine: turnOf(name) > 0 });
  if (!set.ok || set.value.code !== 0) return set.ok ? success(false) : set;
  const got = await driver.run(`get ${name}`);
  if (!got.ok) return got;
  const text = answerText(got.value);
  // A password may read back empty, or as stars.
  return success(got.value.code === 0 && (text === value || (isSecretName(name) && /^\**$/.test(text))));
}
