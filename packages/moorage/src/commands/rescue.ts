import { open, rm } from 'node:fs/promises';
import type { Result } from '@moorage/base';
import type { Archive, Differences, Driver, DriverFailure } from '@moorage/gateway';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import { ask } from '../command-line/terminal.ts';
import { addressForms, checkAddress, reach, reachOptions, readReach } from '../gateway/reach-module.ts';

const options = {
  ...reachOptions,
  output: { kind: 'text', short: 'o', placeholder: 'FILE', help: 'the archive to write; it must not be there yet' },
  'with-secrets': { kind: 'switch', help: 'keep passwords and private keys in the archive' },
  restore: { kind: 'text', placeholder: 'FILE', help: 'write what this archive has otherwise into the module' },
  yes: { kind: 'switch', help: 'write without asking' },
} as const;

/** Exit code of an archive that has what came, and not all that was to be read. */
const incompleteCode = 3;

export const rescueCommand = defineCliCommand({
  name: 'rescue',
  summary: 'Read everything out of a real module into an archive, or put an archive back. Reading writes nothing',
  arguments: [{ name: 'ADDRESS', help: addressForms }],
  options,
  async run({ options: given, args: [address = ''], reporter }) {
    if ((given.output === undefined) === (given.restore === undefined))
      throw new UserError('Give either --output FILE, to read, or --restore FILE, to write', 2);
    if (given.restore !== undefined && given['with-secrets'])
      throw new UserError('Option --with-secrets has no use with --restore: the archive has them or not', 2);
    if (given.output !== undefined && given.yes)
      throw new UserError('Option --yes has no use with --output: reading writes nothing', 2);
    checkAddress('Argument ADDRESS', address);
    const way = readReach(given);
    const archive = given.restore === undefined ? undefined : await readRescue(given.restore);
    const { driver } = await reach(address, way);
    try {
      if (given.output !== undefined) await read(driver, given.output, given['with-secrets'], reporter);
      else if (archive !== undefined) await putBack(driver, archive, given.yes, reporter);
    } finally {
      await driver.close();
    }
  },
});

async function take(
  driver: Driver,
  withSecrets: boolean,
  withoutContents: boolean,
  reporter: Reporter,
): Promise<Archive> {
  const [{ rescue }, { realClock }] = await Promise.all([import('@moorage/gateway'), import('@moorage/base')]);
  const progress = withoutContents ? undefined : reporter.progress('files', 1);
  const taken = await rescue(driver, {
    clock: realClock,
    withSecrets,
    withoutContents,
    onProgress: (readBytes, totalBytes) => progress?.at(readBytes / Math.max(1, totalBytes)),
  });
  if (!taken.ok) throw new UserError(`${driver.address}: ${taken.error.detail}`);
  progress?.end(`  ${taken.value.files.length} files, ${taken.value.settings.length} variables`);
  return taken.value;
}

async function read(driver: Driver, output: string, withSecrets: boolean, reporter: Reporter): Promise<void> {
  // Of the owner alone: with or without passwords, it is what a network has of its own.
  const file = await open(output, 'wx', 0o600).catch((error: Error) => {
    throw new UserError(`The archive "${output}" cannot be made: ${error.message}`, 1, { cause: error });
  });
  try {
    const archive = await take(driver, withSecrets, false, reporter);
    const { isWhole, packArchive } = await import('@moorage/gateway');
    const bytes = packArchive(archive);
    await file.writeFile(bytes);
    await file.sync();
    for (const { what, why } of archive.unread) reporter.say(`  not in the archive: ${what}: ${why}`);
    const { version, unread } = archive;
    const whole = isWhole(archive);
    const facts = { file: output, bytes: bytes.length, version, files: archive.files.length, whole, unread };
    const rest = whole ? '' : '; not all of it could be read';
    reporter.event('rescued', facts, `Rescued ${version} to ${output}, ${bytes.length} bytes${rest}`);
    if (!whole) process.exitCode = incompleteCode;
  } catch (error) {
    await rm(output);
    throw error;
  } finally {
    await file.close();
  }
}

const shown = (value: string | undefined): string => (value === undefined ? 'nothing' : JSON.stringify(value));

/** One line for each thing that would be written. */
const inWords = ({ files, settings, skipped }: Differences): readonly string[] => [
  ...files.map(({ name, size }) => `  write file ${name}, ${size} bytes`),
  ...settings.map(({ name, value, now }) => `  set ${name}: ${shown(now)} -> ${shown(value)}`),
  ...skipped.map(({ what, why }) => `  leave ${what}: ${why}`),
];

async function readRescue(path: string): Promise<Archive> {
  const { readTwin } = await import('../module/twin.ts');
  return (await readTwin(path)).archive;
}

async function confirmed(yes: boolean, question: string): Promise<boolean> {
  return yes || (await ask(`${question} Type yes: `))?.trim() === 'yes';
}

/** Compares with what the module has saved, where it can tell, and writes what was shown and confirmed. */
async function putBack(driver: Driver, archive: Archive, yes: boolean, reporter: Reporter): Promise<void> {
  const { canLoad, differences, loadSaved, restore } = await import('@moorage/gateway');
  const now = await take(driver, false, true, reporter);
  let found = differences(archive, now);
  const isSame = found.files.length === 0 && found.settings.length === 0;
  const loads = canLoad(now) && (isSame || found.settings.length > 0);
  show(found, reporter, found.settings.length === 0 ? [] : loads ? loadingSteps : savingSteps);
  if (isSame) {
    reporter.say(
      'The module has all of it, as far as its variables are set; what is saved of them shows when they are loaded',
    );
    if (!loads || !(await confirmed(yes, 'Forget what was set and not saved, and compare what is saved?')))
      return reporter.event('restored', { refused: [] }, 'Nothing was written');
  } else if (!(await confirmed(yes, 'Write this into the module?')))
    throw new UserError('Nothing was written: answer "yes", or give --yes');
  if (loads) {
    must(driver, await loadSaved(driver));
    const saved = differences(archive, await take(driver, false, true, reporter));
    const shownBefore = new Set(found.settings.map(({ name, value }) => `${name} ${value}`));
    const isNews = saved.settings.some(({ name, value }) => !shownBefore.has(`${name} ${value}`));
    found = saved;
    if (isNews) {
      show(found, reporter, savedSteps);
      if (!(await confirmed(yes, 'Write this into the module?')))
        throw new UserError('Nothing was written: answer "yes", or give --yes');
    }
  }
  const refused = must(driver, await restore(driver, found, (what) => reporter.say(`  ${what} …`)));
  if (refused.length > 0) reporter.say(`  the module did not take: ${refused.join(', ')}`);
  const isNothing = found.files.length === 0 && found.settings.length === 0;
  reporter.event('restored', { refused }, isNothing ? 'Nothing was written' : 'Restored, and read back');
}

const savedSteps = ['  save'];
const loadingSteps = ['  load: what was set and is not saved is forgotten first', ...savedSteps];
const savingSteps = ['  save: what was set before and is not saved becomes lasting, too; this module cannot forget it'];

function show(found: Differences, reporter: Reporter, steps: readonly string[]): void {
  const { files, settings, skipped } = found;
  const facts = { files: files.map(({ name }) => name), settings: settings.map(({ name }) => name), skipped };
  reporter.event('differences', facts, [...inWords(found), ...steps].join('\n') || undefined);
}

/** @throws {UserError} for a failure of a module that is being written to */
function must<T>({ address }: Driver, done: Result<T, DriverFailure>): T {
  if (done.ok) return done.value;
  throw new UserError(`${address}: ${done.error.detail}. Not all of it was written: run it again to go on`);
}
