import { defined } from '@moorage/base';
import { parseVersionLine } from '../module/reports.ts';
import type { Archive } from './archive.ts';

/** Texts of a personality that a refusal shows, by its code. */
const refusalKeys: Readonly<Record<number, string>> = {
  1: 'commandFailed',
  2: 'parseError',
  3: 'unknownCommand',
  4: 'tooFewArguments',
  5: 'tooManyArguments',
  6: 'unknownVariable',
  7: 'invalidArgument',
};

/** A variable that shows a clock, a counter or what was measured: two readings of one module differ. */
const measured =
  /^(time\.(rtc|uptime|last_set)|system\.(memory\.usage|usage)|network\.(ip|netmask|gateway|dns|status|buffer\.usage)|wlan\.(join\.result|channel)|softap\.client_list|setup\.web\.client_list)$/;

/** Burnt into the hardware, or part of the firmware. */
const burnt = /^(system\.(uuid|version|build_number|safemode)|wlan\.mac)$/;

export const isMeasured = (name: string): boolean => measured.test(name);

/** Whether the value of a variable is a user's, who can give it to another module. */
export const isUsers = (name: string): boolean => !measured.test(name) && !burnt.test(name);

/**
 * What an archive shows of its firmware, as a personality file: name, version line, spelling of the cloud's prefix, texts
 * and the layout of the list of files.
 */
export function personalityOf(archive: Archive): Record<string, unknown> {
  const { line, ...parts } = parseVersionLine(archive.version);
  const build = archive.settings.find(({ name }) => name === 'system.build_number')?.value;
  const prefix = archive.commands.flatMap(({ name }) => /^([a-z]{2,12})_capabilities$/.exec(name)?.[1] ?? [])[0];
  const refused = archive.refusals.flatMap(({ code, text }) => {
    const key = refusalKeys[code];
    return key === undefined || /[{}]/.test(text) ? [] : [[key, text] as const];
  });
  const head = archive.texts.listing.split('\n').find((row) => row.startsWith('!'));
  const listVerbose = rowLayout(archive.texts.listing);
  return {
    ...parts,
    ...(build !== undefined && build !== '' && { build }),
    ...defined({ cloudPrefix: prefix }),
    // Commands that it has under other names, or has not: it is what it says it is.
    ...(archive.commands.length > 0 && {
      commands: Object.fromEntries(archive.commands.map(({ name, shortcut }) => [name, shortcut])),
    }),
    texts: {
      ...Object.fromEntries(refused),
      ...defined({ listVerboseHead: head }),
      // A version line of another form stands as it is.
      ...(parts.name === undefined && !/[{}]/.test(line) && { versionLine: line }),
    },
    ...(listVerbose !== undefined && { rows: { listVerbose } }),
  };
}

/** Columns of a row of `ls -v`, and how each is printed. */
const columns = /^#(\s*\d+)(\s+)([a-z]-[0-9A-F]{2})(\s+)([0-9A-F]{4})(\s+\d+)(\s+\d+)(\s+[\d.]+)(\s+)(\S.*)$/;

/** The layout of the rows of `ls -v`; `undefined` where they have none in common. */
function rowLayout(listing: string): string | undefined {
  const rows = listing.split('\n').filter((row) => row.startsWith('#'));
  const layouts = rows.map((row) => {
    const [, index = '', gap = '', , flagGap = '', , unit = '', size = '', version = '', nameGap = ''] =
      columns.exec(row) ?? [];
    return index === ''
      ? ''
      : `#%${index.length}d${gap}%c-%02X${flagGap}%04X%${unit.length}d%${size.length}d%${version.length}s${nameGap}%s`;
  });
  // A name may begin with spaces.
  const [shortest = ''] = layouts.toSorted((a, b) => a.length - b.length);
  const isCommon = layouts.every((layout) => layout.replace(/\s+%s$/, '') === shortest.replace(/\s+%s$/, ''));
  return shortest !== '' && isCommon ? shortest : undefined;
}
