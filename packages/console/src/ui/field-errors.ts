import { ApiError } from '../api/client.ts';
import { t } from '../texts/ui.ts';
import { sayError } from './refusals.ts';

/** A rule for a field that has to be filled in; its form cannot be sent before. */
export const needed = (value: string | null): string | null =>
  value === null || value.trim() === '' ? t.thisIsNeeded : null;

/** Whether a form has a field of this name; the names on the way to it are joined by dots. */
function hasField(values: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const fields = Object(values) as Readonly<Record<string, unknown>>;
  return Object.hasOwn(fields, name) && hasField(fields[name], rest);
}

/** What the service says of fields of a form, by their names; undefined when it is about none of them, or not all. */
export function errorsOfFields(error: unknown, values: object): Readonly<Record<string, string>> | undefined {
  if (!(error instanceof ApiError) || error.fields.length === 0) return undefined;
  if (!error.fields.every((name) => hasField(values, name.split('.')))) return undefined;
  return Object.fromEntries(error.fields.map((name) => [name, sayError(error)]));
}
