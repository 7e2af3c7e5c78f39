import { type Result, success } from '@moorage/base';
import type { Driver, DriverFailure } from '../driver/driver.ts';
import { type Named, parseSettings, type Setting } from '../module/reports.ts';
import { askText } from '../module/tables.ts';
import type { Unread } from './options.ts';

/** Most variables that are asked for one by one. */
const maxAsked = 1_000;

/** Longest value that is kept as one, in characters; the text of `get all` has it all. */
const maxValueLength = 65_536;

interface ReadSettings {
  readonly settings: readonly Setting[];
  readonly text: string;
  readonly tables: readonly string[];
}

/** All variables; those that `get all` leaves out are asked for one by one. */
export async function readSettings(
  driver: Driver,
  variables: readonly Named[],
  unread: Unread,
): Promise<Result<ReadSettings, DriverFailure>> {
  const names = new Set(variables.map(({ name }) => name));
  const all = await askText(driver, 'get all');
  if (!all.ok && all.error.error === 'unreachable') return all;
  if (!all.ok) unread.push({ what: 'get all', why: all.error.detail, kind: 'failed' });
  const text = all.ok ? all.value : '';
  const { settings, tables } = parseSettings(text, names);
  const known: Setting[] = [];
  for (const setting of settings) {
    if (setting.name.length <= 256 && setting.value.length <= maxValueLength) known.push(setting);
    else unread.push({ what: setting.name, why: 'it is too long', kind: 'failed' });
  }
  const seen = new Set([...tables, ...settings.map(({ name }) => name.split(' ', 1)[0] ?? '')]);
  const missing = [...names].filter((name) => !seen.has(name));
  if (missing.length > maxAsked)
    unread.push({ what: 'help variables', why: `it names over ${maxAsked} that "get all" has not`, kind: 'failed' });
  for (const name of missing.slice(0, maxAsked)) {
    const one = await askText(driver, `get ${name}`);
    if (!one.ok && one.error.error === 'unreachable') return one;
    if (!one.ok) unread.push({ what: name, why: one.error.detail, kind: 'failed' });
    else if (!one.value.includes('\n') && one.value.length <= maxValueLength) known.push({ name, value: one.value });
  }
  return success({ settings: known, text, tables });
}
