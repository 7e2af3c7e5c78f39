import { formatVersion, type Result, success } from '@moorage/base';
import { answerText, type Driver, type DriverFailure, quoted } from '../driver/driver.ts';
import { converge, lettersOf, type Target, writtenFile } from '../module/converge.ts';
import type { Setting } from '../module/reports.ts';
import type { Archive, RescuedFile } from './archive.ts';
import { isSecretName } from './secrets.ts';
import { isUsers } from './twin.ts';

/** Programs and radio firmware, which no command writes. Reference: flash 2.1. */
const firmwareTypes: ReadonlySet<number> = new Set([0x00, 0x01, 0x80, 0x81]);

/** Settings of the line itself come last, because answers look different from then on; the one that sets them all first. */
const turnOf = (name: string): number =>
  name === 'system.cmd.mode' ? 1 : /^system\.(cmd\.|print_level)/.test(name) ? 2 : 0;

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
  const isWanted = ({ name, value }: Setting): boolean =>
    names.has(name.split(' ', 1)[0] ?? '') &&
    isUsers(name) &&
    values.get(name) !== value &&
    !(isSecretName(name) && value === '');
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
 * Writes the differences, file by file, then the variables, and saves them; each is read back. The result names what the
 * module did not take.
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
  if (settings.length === 0) return success([]);
  const refused: string[] = [];
  for (const setting of settings.toSorted((a, b) => turnOf(a.name) - turnOf(b.name))) {
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
  const set = await driver.run(`set ${name} ${quoted(value)}`);
  if (!set.ok || set.value.code !== 0) return set.ok ? success(false) : set;
  // A password reads back empty.
  if (isSecretName(name)) return success(true);
  const got = await driver.run(`get ${name}`);
  return got.ok ? success(got.value.code === 0 && answerText(got.value) === value) : got;
}
