import { ApiError } from '../api/client.ts';
import { t } from '../texts/ui.ts';
import { sayError } from './refusals.ts';

/** A rule for a field that has to be filled in; its form cannot be sent before. */
export const needed = (value: string | null): string | null =>
  value === null || value.trim() === '' ? t.thisIsNeeded : null;

/** What the service says of fields of a form, by their names; undefined when it is about none of them, or not all. */
export function errorsOfFields(error: unknown, values: object): Readonly<Record<string, string>> | undefined {
  if (!(error instanceof ApiError) || error.fields.length === 0) return undefined;
  if (!error.fields.every((name) => Object.hasOwn(values, name))) return undefined;
  return Object.fromEntries(error.fields.map((name) => [name, sayError(error)]));
}
