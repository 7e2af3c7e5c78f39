import { schemaDemand } from '@moorage/base';
import type { TLocalizedValidationError } from 'typebox/error';

/** Longest value that a refusal repeats, in characters. */
const maxQuoted = 60;

const placeOf = (pointer: string): readonly string[] => pointer.split('/').slice(1);

/**
 * What does not fit its schema in a file that a user wrote: a clause that names the key and its value. Of several
 * mistakes the first is reported.
 */
export function schemaMistake(errors: readonly TLocalizedValidationError[], whole: unknown): string {
  // Without its own text there is still something to say.
  const [first] = errors;
  if (!first) return 'It does not fit its schema';
  const place = placeOf(first.instancePath);
  const named = (names: readonly string[]): string => `Key "${names.join('.')}"`;
  if (first.keyword === 'boolean') return `${named(place)} is unknown`;
  if (first.keyword === 'required') return `${named([...place, first.params.requiredProperties[0] ?? ''])} is missing`;
  if (place.length === 0) return `It must hold a JSON ${first.keyword === 'type' ? first.params.type : 'value'}`;
  return `${named(place)} is ${quoted(valueAt(whole, place))} and ${schemaDemand(first)}`;
}

function valueAt(whole: unknown, place: readonly string[]): unknown {
  const inside = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
  return place.reduce(inside, whole);
}

function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text;
}
