/** What a schema library says of one value that does not fit: the keyword of JSON Schema, and its parameters. */
interface SchemaError {
  readonly keyword: string;
  readonly params: object;
}

type Words = (named: (parameter: string) => unknown) => string;

const most =
  (things: string): Words =>
  (named) =>
    `must not have more than ${named('limit')} ${things}`;
const least =
  (things: string): Words =>
  (named) =>
    `must not have fewer than ${named('limit')} ${things}`;
const compared: Words = (named) => `must be ${named('comparison')} ${named('limit')}`;
const listed = (values: unknown): string =>
  (Array.isArray(values) ? values : [values]).map((value) => `"${value}"`).join(', ');

const demands: Readonly<Record<string, Words>> = {
  type: (named) => `must be of type ${[named('type')].flat().join(' or ')}`,
  enum: (named) => `must be one of ${listed(named('allowedValues'))}`,
  minimum: compared,
  maximum: compared,
  exclusiveMinimum: compared,
  exclusiveMaximum: compared,
  minLength: least('characters'),
  maxLength: most('characters'),
  minItems: least('items'),
  maxItems: most('items'),
  minProperties: least('keys'),
  maxProperties: most('keys'),
  required: (named) => `must have the key ${listed(named('requiredProperties'))}`,
  pattern: (named) => `must have the form ${named('pattern')}`,
  format: (named) => `must have the form of ${named('format')}`,
};

/** What a schema demands of a value that does not fit it, in our own words: a clause without its subject. */
export function schemaDemand({ keyword, params }: SchemaError): string {
  const values = new Map<string, unknown>(Object.entries(params));
  const words = Object.hasOwn(demands, keyword) ? demands[keyword] : undefined;
  return words?.((parameter) => values.get(parameter)) ?? 'does not fit';
}
