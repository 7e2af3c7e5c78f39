/**
 * Makes the schemas of the contract as plain data. The build of the console takes this for typebox: the console looks at
 * options of connectors, and checks nothing, while the library brings a compiler and a parser along.
 */
type Schema = Readonly<Record<string, unknown>>;

interface ObjectSchema extends Schema {
  readonly properties: Readonly<Record<string, Schema>>;
}

const optionals = new WeakSet<Schema>();

const optional = (schema: Schema): Schema => {
  const copy = { ...schema };
  optionals.add(copy);
  return copy;
};

const object = (properties: Readonly<Record<string, Schema>>, options: Schema = {}): ObjectSchema => {
  const required = Object.keys(properties).filter((name) => properties[name] && !optionals.has(properties[name]));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
};

const ofType =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options });

const Type = {
  Array: (items: Schema, options: Schema = {}): Schema => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Enum: (values: readonly unknown[], options: Schema = {}): Schema => ({ enum: values, ...options }),
  Integer: ofType('integer'),
  Literal: (value: unknown, options: Schema = {}): Schema => ({ type: typeof value, const: value, ...options }),
  Never: (): Schema => ({ not: {} }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object: object,
  Omit: ({ properties }: ObjectSchema, keys: readonly string[]): Schema =>
    object(Object.fromEntries(Object.entries(properties).filter(([name]) => !keys.includes(name)))),
  Optional: optional,
  Partial: ({ properties }: ObjectSchema): Schema =>
    object(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, optional(schema)]))),
  Record: (name: Schema, values: Schema, options: Schema = {}): Schema => ({
    type: 'object',
    patternProperties: { [String(name.pattern ?? '^.*$')]: values },
    ...options,
  }),
  String: ofType('string'),
  Union: (anyOf: readonly Schema[], options: Schema = {}): Schema => ({ anyOf, ...options }),
  Unknown: (options: Schema = {}): Schema => ({ ...options }),
};

export default Type;
