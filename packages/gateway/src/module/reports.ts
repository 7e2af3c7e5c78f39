import { failure, parseVersion, type Result, success, type Version } from '@moorage/base';

/** A file as a module lists it. */
export interface ListedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly version: Version;
  /** `i` internal, `e` extended, `b` bulk flash. */
  readonly area: string;
  /** 0 to 255. */
  readonly type: number;
  readonly flags: number;
  /** First unit of its area. */
  readonly unit: number;
}

/** The version line, in parts. */
interface VersionParts {
  readonly line: string;
  /** Absent where the line has another form. */
  readonly name?: string;
  readonly version?: string;
  readonly built?: string;
  readonly module?: string;
  readonly board?: string;
}

/** A name and its short form. */
export interface Named {
  readonly name: string;
  readonly shortcut: string;
}

export interface Setting {
  /** With its index, where it has one: `uart.baud 0`. */
  readonly name: string;
  readonly value: string;
}

const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '');

/**
 * A row of `ls -v`, and what separates its name, which may itself begin with spaces; the version before 2 ran number and type together.
 * Reference: flash 1.4.
 */
const row = /^#\s*(\d+)\s+([a-z])-([0-9A-F]{2})\s+([0-9A-F]{4})\s+(\d+)\s+(\d+)\s+(\d+(?:\.\d+){1,3})(\s+)(\S.*)$/i;

/** Reads the answer of `ls -v`. The error says what is wrong with it; a table that lacks a row is wrong, too. */
export function parseListing(text: string): Result<readonly ListedFile[], string> {
  const files: ListedFile[] = [];
  // Names begin in one column, or behind one gap where a number is too long for its own.
  const places = linesOf(text).flatMap((line) => {
    const [space, rest] = row.exec(line)?.slice(-2) ?? [];
    return space === undefined || rest === undefined ? [] : [{ gap: space.length, column: line.length - rest.length }];
  });
  const gap = Math.min(...places.map((place) => place.gap));
  const column = Math.min(...places.map((place) => place.column));
  for (const line of linesOf(text)) {
    // What was said meanwhile is no part of the table, whose rows are numbered.
    if (!line.startsWith('#') && (line.startsWith('!') || text.includes('\n!') || text.startsWith('!'))) continue;
    const match = row.exec(line);
    if (!match) return failure(`"${line}" is no row of a list of files`);
    const [, index, area = '', type = '', flags = '', unit, size, versionText = '', space = '', rest = ''] = match;
    const name = line.slice(Math.max(column, line.length - rest.length - space.length + gap));
    const version = parseVersion(versionText);
    if (Number(index) !== files.length || !version.ok)
      return failure(`Row ${files.length} of the list of files is missing`);
    const numbers = { type: Number.parseInt(type, 16), flags: Number.parseInt(flags, 16) };
    files.push({
      name,
      size: Number(size),
      version: version.value,
      area: area.toLowerCase(),
      unit: Number(unit),
      ...numbers,
    });
  }
  return success(files);
}

/** The CRC in the answer of `file_stat`; `undefined` when it is none. Reference: flash 1.4. */
export function parseStat(text: string): { readonly size: number; readonly crc: number } | undefined {
  const match = /^(\d+),(?:0x)?([0-9A-F]{1,4}),/im.exec(text);
  return match ? { size: Number(match[1]), crc: Number.parseInt(match[2] ?? '', 16) } : undefined;
}

/** Reads `help commands`: clients cut each line at its colon. */
export const parseCommands = (text: string): readonly Named[] =>
  linesOf(text).flatMap((line) => {
    const match = /^\s*([\w?]+)\s*:\s*(\S*)\s*$/.exec(line);
    return match ? [{ name: match[1] ?? '', shortcut: match[2] ?? '' }] : [];
  });

/** Reads `help variables`: behind the first run of spaces or an access word stands the name. */
export const parseVariables = (text: string): readonly Named[] =>
  linesOf(text).flatMap((line) => {
    const match = /(?:^|\s)([a-z][\w]*(?:\.[\w]+)+|[a-z]\w+)\s*:\s*(.*?)\s*$/.exec(line);
    return match ? [{ name: match[1] ?? '', shortcut: match[2] ?? '' }] : [];
  });

/** A setting, and what stands below its name where it prints a table. */
interface Listed {
  readonly settings: readonly Setting[];
  /** Names that print tables. */
  readonly tables: readonly string[];
}

/**
 * Reads `get all`: lines `name: value` or `name = value`, of indexed variables `name index: value`; tables stand below their
 * name. A name with a dot in it is one, whether a list has named it or not; without any list each is.
 */
export function parseSettings(text: string, names: ReadonlySet<string>): Listed {
  const settings: Setting[] = [];
  const tables: string[] = [];
  let inTable = false;
  for (const line of text.split(/\r?\n/)) {
    const match = /^([A-Za-z][\w.-]*)( [\w]+)?(?:: ?|\s*= ?)(.*)$/.exec(line);
    const [, name = '', index = '', rest = ''] = match ?? [];
    const value = rest === '' && !/[=:] $/.test(line) ? undefined : rest;
    if (!match || !(names.size === 0 || names.has(name) || /\w\.\w/.test(name))) {
      if (!inTable && line !== '' && settings.length > 0) tables.push(settings.at(-1)?.name ?? '');
      inTable ||= line !== '';
      continue;
    }
    inTable = value === undefined;
    if (inTable) tables.push(name);
    else settings.push({ name: name + index, value: value ?? '' });
  }
  return { settings, tables };
}

/** Cuts the version line as clients do. Reference: line 3.2. */
export function parseVersionLine(text: string): VersionParts {
  const line = linesOf(text).at(-1)?.trim() ?? '';
  const match = /^(\S+?)-(\d+(?:\.\d+){3}), Built:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) for (.+), Board:(.+)$/.exec(line);
  const [, name, version, built, module, board] = match ?? [];
  return name && version && built && module && board ? { line, name, version, built, module, board } : { line };
}
