import { refusedFieldsLimit, sayProblem } from '@moorage/api';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';

/** A value of a request that is wrong, as the rest of a sentence about it. */
export interface Problem {
  readonly path: readonly string[];
  readonly said: string;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sayError = ({ keyword, params }: ErrorObject): string => sayProblem(keyword, params);

/** One sentence for what several forms want of a value that has none of them: that of the form which is nearest. */
function sayAll(errors: readonly ErrorObject[]): string {
  const near = errors.filter(({ keyword }) => keyword !== 'type' && keyword !== 'anyOf');
  const said = [
    ...new Set((near.length > 0 ? near : errors.filter(({ keyword }) => keyword !== 'anyOf')).map(sayError)),
  ];
  const [first = 'is not valid', ...others] = said;
  const prefix = 'has to be ';
  const alike = first.startsWith(prefix) ? others.filter((other) => other.startsWith(prefix)) : [];
  return [first, ...alike.map((other) => other.slice(prefix.length))].join(' or ');
}

const pathOf = ({ instancePath, params }: ErrorObject): string[] => {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const name = params.missingProperty ?? params.additionalProperty;
  return typeof name === 'string' ? [...path, name] : path;
};

/** Validators of parts of schemas, made when a request is first refused for one. */
const partValidators = new WeakMap<object, ValidateFunction>();

/** What a validator says of one value. It is looked at inside of an object, where text can be read as a number. */
function problemsOfValue(ajv: Ajv, schema: Json, value: unknown): Problem[] {
  let validate = partValidators.get(schema);
  if (!validate) {
    validate = ajv.compile({ type: 'object', properties: { value: schema } });
    partValidators.set(schema, validate);
  }
  if (validate({ value })) return [];
  const [first, ...others] = validate.errors ?? [];
  if (!first) return [];
  const path = pathOf(first);
  const here = others.filter((other) => pathOf(other).join('/') === path.join('/'));
  return [{ path: path.slice(1), said: sayAll([first, ...here]) }];
}

const under = (name: string, problems: readonly Problem[]): Problem[] =>
  problems.map(({ path, said }) => ({ path: [name, ...path], said }));

function problemsOfObject(ajv: Ajv, schema: Json, value: Json): Problem[] {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const missing = required
    .filter((name) => value[name] === undefined)
    .map((name) => ({ path: [name], said: 'is missing' }));
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    isObject(part) && value[name] !== undefined ? under(name, problemsOf(ajv, part, value[name])) : [],
  );
  return [...missing, ...inner];
}

function problemsOfList(ajv: Ajv, items: Json, list: readonly unknown[]): Problem[] {
  const found: Problem[] = [];
  for (const [index, item] of list.entries()) {
    if (found.length >= refusedFieldsLimit) break;
    found.push(...under(String(index), problemsOf(ajv, items, item)));
  }
  return found;
}

/**
 * Every field of a value that is wrong, in the order of the schema, up to `refusedFieldsLimit`. The validator of the whole
 * stops at the first: one that goes on would make an error for each of the million items that a body may have.
 */
export function problemsOf(ajv: Ajv, schema: Json, value: unknown): readonly Problem[] {
  const forms = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject) : [];
  // "X or null" is about X; of several objects the one that is nearest is meant.
  const objects = isObject(value) ? forms.filter(({ type }) => type === 'object') : [];
  if (objects.length > 0) {
    const each = objects.map((form) => problemsOf(ajv, form, value));
    return each.reduce((a, b) => (b.length < a.length ? b : a));
  }
  let found: readonly Problem[] = [];
  if (schema.type === 'object' && isObject(value)) found = problemsOfObject(ajv, schema, value);
  const isTooLong = Array.isArray(value) && typeof schema.maxItems === 'number' && value.length > schema.maxItems;
  if (Array.isArray(value) && isObject(schema.items) && !isTooLong) found = problemsOfList(ajv, schema.items, value);
  return (found.length > 0 ? found : problemsOfValue(ajv, schema, value)).slice(0, refusedFieldsLimit);
}

/** Where a body has the character NUL, which no record can hold; in fields that the schema does not have it may be. */
export function nulsOf(
  schema: unknown,
  value: unknown,
  path: readonly string[] = [],
  found: Problem[] = [],
): Problem[] {
  if (found.length >= refusedFieldsLimit) return found;
  if (typeof value === 'string' && value.includes('\0')) found.push({ path, said: 'has the character NUL' });
  if (typeof value !== 'object' || value === null) return found;
  const { properties, additionalProperties, items, anyOf } = isObject(schema) ? schema : {};
  const forms = Array.isArray(anyOf) ? anyOf.filter((form) => isObject(form) && form.type !== 'null') : [];
  if (forms.length > 0) return nulsOf(forms.length === 1 ? forms[0] : undefined, value, path, found);
  const known = isObject(properties) ? properties : {};
  for (const [name, inner] of Object.entries(value)) {
    if (isObject(properties) && additionalProperties === undefined && !Object.hasOwn(known, name)) continue;
    if (name.includes('\0')) found.push({ path: [...path, name.replaceAll('\0', '?')], said: 'has the character NUL' });
    else nulsOf(known[name] ?? items, inner, [...path, name], found);
  }
  return found;
}
