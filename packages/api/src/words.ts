import { sayPattern } from './patterns.ts';

/** What a validator tells of a keyword that a value breaks. */
type Params = Readonly<Record<string, unknown>>;

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

/** What a keyword of a schema wants, from the parameters that the validator gives with its error. */
const wants: Readonly<Record<string, (params: Params) => string>> = {
  required: () => 'is missing',
  type: ({ type }) =>
    `has to be ${[type]
      .flat()
      .map((name) => typeNames[String(name)] ?? String(name))
      .join(' or ')}`,
  enum: ({ allowedValues }) =>
    `has to be one of ${[allowedValues]
      .flat()
      .map((one) => JSON.stringify(one))
      .join(', ')}`,
  const: ({ allowedValue }) => `has to be ${JSON.stringify(allowedValue)}`,
  format: ({ format }) => `has to be ${format === 'uuid' ? 'an id (a UUID)' : `a ${String(format)}`}`,
  pattern: ({ pattern }) => sayPattern(String(pattern)),
  minLength: ({ limit }) => (limit === 1 ? 'may not be empty' : `needs ${String(limit)} characters or more`),
  maxLength: ({ limit }) => `takes up to ${String(limit)} characters`,
  minimum: ({ limit }) => `has to be ${String(limit)} or more`,
  maximum: ({ limit }) => `has to be ${String(limit)} or less`,
  exclusiveMinimum: ({ limit }) => `has to be over ${String(limit)}`,
  exclusiveMaximum: ({ limit }) => `has to be under ${String(limit)}`,
  minItems: ({ limit }) => `needs ${String(limit)} of them or more`,
  maxItems: ({ limit }) => `takes up to ${String(limit)} of them`,
  uniqueItems: () => 'has the same twice',
  minProperties: ({ limit }) => (limit === 1 ? 'may not be empty' : `needs ${String(limit)} entries or more`),
  maxProperties: ({ limit }) => `takes up to ${String(limit)} entries`,
  additionalProperties: () => 'has a name that is not allowed',
  boolean: () => 'has a name that is not allowed',
  'false schema': () => 'has a name that is not allowed',
};

/** What is wrong with a value, by the keyword of its schema that it breaks, as the rest of a sentence about its field. */
export const sayProblem = (keyword: string, params: Params): string => wants[keyword]?.(params) ?? 'is not valid';
