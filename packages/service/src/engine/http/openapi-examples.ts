import type { TSchema } from 'typebox';

/** What examples are made from: the keywords of JSON Schema that the contract uses. */
interface Node {
  readonly [keyword: string]: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly allOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly format?: string;
}

/** Values of fields that the contract has no example of, by their names. */
const byName: Readonly<Record<string, unknown>> = {
  action: 'blink',
  address: '192.0.2.7',
  bundle: '0.0.0.1',
  bversion: 'ACME-BRT106_THERMOSTAT-0.0.0.1, 2026-01-01T00:00:00Z, W-2.3.0.1',
  city: 'Hamburg',
  code: 'THERMOSTAT',
  command: 'get system.uuid',
  country: 'DE',
  current_password: 'the one before',
  customer: 'ACME',
  description: 'Keeps the water at the level it should have.',
  device: 'Gate 7',
  device_id: '4C:55:CC:10:78:9B',
  filename: 'webapp/index.html',
  firmware: 'W',
  firmware_version: '2.3.0.1',
  flavor: 'W',
  ip: '192.0.2.7',
  label: 'W',
  last_error: 'ECONNREFUSED',
  message: 'Update to 0.0.0.1 is done',
  lat: 53.55,
  lon: 9.99,
  mac: '4C:55:CC:10:78:9B',
  bt_addr: '4C:55:CC:10:78:9C',
  manufacturer: 'ACME',
  meta: 'indoor',
  mime: 'text/html',
  name: 'index.html',
  name_family: 'Jansen',
  name_given: 'Ann',
  organisation: 'ACME',
  part_number: 'AC-1001',
  password: 'correct horse',
  path: 'webapp/index.html',
  platform: 'BRT106',
  product: 'ACME-BRT106_THERMOSTAT',
  summary: 'A gate that opens by itself',
  tag: 'release',
  title: 'Lock gate',
  token: 'SVlSU2VZbllaWHUxcVF4VDBHNjVjQ2Rl',
  user: 'maker',
  username: 'maker@example.com',
  uuid: '5155415900000000000000000000000000000001',
  version: '0.0.0.1',
};

const simple: Readonly<Record<string, (node: Node) => unknown>> = {
  string: ({ format }) => (format === 'uuid' ? '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e' : 'text'),
  integer: ({ minimum = 1 }) => minimum,
  number: ({ minimum = 1.5 }) => minimum,
  boolean: () => true,
  null: () => null,
};

/** A name may stand for something else in another record. */
const fits = ({ type, format }: Node, value: unknown): boolean => format === undefined && type === typeof value;

function valueFor(node: Node, name = ''): unknown {
  const { examples, anyOf, allOf, properties, items } = node;
  if (examples && examples.length > 0) return examples[0];
  if ('const' in node) return node.const;
  if (node.enum) return node.enum.find((value) => value !== '') ?? node.enum[0];
  if ('default' in node) return node.default;
  const [first] = anyOf ?? [];
  if (first) return valueFor(first, name);
  if (allOf) return Object.assign({}, ...allOf.map((all) => valueFor(all)));
  if (properties) return Object.fromEntries(Object.entries(properties).map(([of, inner]) => [of, valueFor(inner, of)]));
  const named = byName[name];
  if (named !== undefined && fits(node, named)) return named;
  if (node.type === 'object') return {};
  if (node.type === 'array') return items ? [valueFor(items, name.replace(/s$/, ''))] : [];
  return simple[String(node.type)]?.(node) ?? 'anything';
}

/**
 * A value that fits a schema: its examples, defaults and first choices put together, and the usual
 * values of fields that have none. A text with a pattern needs an
 * example in the contract, which a test asks for.
 */
// Safe: schemas are plain objects, and the keywords not named here are not looked at.
export const exampleOf = (schema: TSchema): unknown => valueFor(schema as unknown as Node);
