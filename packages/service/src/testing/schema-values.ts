import fc from 'fast-check';

/** A JSON Schema, as the OpenAPI document has it. */
export type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Longest texts and lists that are made: beyond a few more of the same proves nothing. */
const textLimit = 60;
const listLimit = 3;

const withoutNul = (value: unknown): boolean => !JSON.stringify(value).includes('\\u0000');

const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

function texts(schema: Schema): fc.Arbitrary<unknown> {
  const minLength = numberOr(schema.minLength, 0);
  const maxLength = Math.min(numberOr(schema.maxLength, textLimit), Math.max(textLimit, minLength));
  if (schema.format === 'uuid') return fc.uuid();
  const { pattern } = schema;
  const isFree = pattern === undefined || pattern === '^[^\\u0000]*$';
  if (isFree) return fc.string({ unit: 'grapheme', minLength, maxLength }).filter(withoutNul);
  return fc
    .stringMatching(new RegExp(String(pattern)), { maxLength })
    .filter((text) => text.length >= minLength && withoutNul(text))
    .filter((text) => schema.format !== 'uri' || URL.canParse(text));
}

function objects(schema: Schema): fc.Arbitrary<unknown> {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const named = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, valuesOf(isSchema(inner) ? inner : {})]),
  );
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const forms = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isSchema) : [];
  // Of forms that differ in what they require the first; others are objects of their own.
  const [form] = forms;
  if (form && isSchema(form.properties)) return fc.oneof(...forms.map(valuesOf));
  const [names, value] = Object.entries(schema.patternProperties ?? {})[0] ?? [];
  if (names !== undefined && isSchema(value)) {
    const keys = fc.stringMatching(new RegExp(names), { maxLength: textLimit }).filter(withoutNul);
    const maxKeys = Math.min(numberOr(schema.maxProperties, listLimit), listLimit);
    return fc.dictionary(keys, valuesOf(value), { minKeys: numberOr(schema.minProperties, 0), maxKeys });
  }
  const more = Array.isArray(form?.required) ? form.required.map(String) : [];
  return fc.record(named, { requiredKeys: [...required, ...more] });
}

const byType: Readonly<Record<string, (schema: Schema) => fc.Arbitrary<unknown>>> = {
  string: texts,
  integer: (schema) => fc.integer({ min: numberOr(schema.minimum, -1e9), max: numberOr(schema.maximum, 1e9) }),
  number: (schema) =>
    fc.double({
      min: numberOr(schema.minimum ?? schema.exclusiveMinimum, -1e9),
      minExcluded: schema.exclusiveMinimum !== undefined,
      max: numberOr(schema.maximum, 1e9),
      noNaN: true,
    }),
  boolean: () => fc.boolean(),
  null: () => fc.constant(null),
  array: (schema) => {
    const minLength = numberOr(schema.minItems, 0);
    const maxLength = Math.min(numberOr(schema.maxItems, listLimit), Math.max(listLimit, minLength));
    const list = schema.uniqueItems ? fc.uniqueArray : fc.array;
    return list(valuesOf(isSchema(schema.items) ? schema.items : {}), { minLength, maxLength });
  },
  object: objects,
};

/** Values that fit a schema of the kinds that the contract has. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const make = byType[String(schema.type)];
  if (make) return make(schema);
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.filter(isSchema).map(valuesOf));
  return fc.jsonValue({ maxDepth: 2 }).filter(withoutNul);
}

/** A value of another type than the schema wants, if there is one that no reading makes right. */
export function wrongValue(schema: Schema): unknown {
  const types = [
    schema.type,
    ...(Array.isArray(schema.anyOf) ? schema.anyOf.filter(isSchema).map(({ type }) => type) : []),
  ];
  if ('$ref' in schema) return undefined;
  return types.includes('object') ? 'no object' : { not: 'right' };
}
