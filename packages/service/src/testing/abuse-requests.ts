import { type EndpointShape, isBinary } from '@moorage/api';
import fc from 'fast-check';
import type { TSchema } from 'typebox';

/** A request that an attacker might send. */
export interface AbuseRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string | Buffer;
}

/** The keywords of a schema that the contract uses. */
interface Node {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Node;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
}

// Safe: a schema is an object of keywords; those that are missing are undefined.
const nodeOf = (schema: TSchema | undefined): Node => (schema ?? {}) as Node;

/** A text that the schema allows, short enough to send by the thousand. */
function textOf({ pattern, minLength = 0, maxLength = 64, format }: Node, ids: fc.Arbitrary<string>) {
  if (format === 'uuid') return ids;
  if (pattern !== undefined) return fc.oneof(fc.stringMatching(new RegExp(pattern)), ids);
  const most = Math.max(minLength, Math.min(maxLength, 64));
  return fc.oneof(fc.string({ minLength, maxLength: most }), fc.string({ unit: 'binary', minLength, maxLength: most }));
}

/** Values that a schema allows. */
function allowed(node: Node, ids: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if (node.const !== undefined) return fc.constant(node.const);
  if (node.enum) return fc.constantFrom(...node.enum);
  if (node.anyOf) return fc.oneof(...node.anyOf.map((branch) => allowed(branch, ids)));
  if (node.type === 'string') return textOf(node, ids);
  if (node.type === 'boolean') return fc.boolean();
  if (node.type === 'null') return fc.constant(null);
  if (node.type === 'integer')
    return fc.integer({ min: node.minimum ?? 0, max: Math.min(node.maximum ?? 1e6, 2 ** 31) });
  if (node.type === 'number') return fc.double({ min: node.minimum ?? -1e6, max: node.maximum ?? 1e6, noNaN: true });
  if (node.type === 'array')
    return fc.array(allowed(node.items ?? {}, ids), { maxLength: Math.min(node.maxItems ?? 3, 3) });
  if (node.type === 'object') return allowedObject(node, ids);
  return fc.jsonValue({ maxDepth: 2 });
}

const allowedObject = ({ properties = {}, required = [] }: Node, ids: fc.Arbitrary<string>) =>
  fc.record(Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, allowed(node, ids)])), {
    requiredKeys: [...required],
  });

const nested = (depth: number): unknown => {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Texts that are known to break programs. */
const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e\ufeff',
  '../../etc/passwd',
  '..\\..\\x',
  '/',
  '//',
  '.',
  '..',
  '%',
  '%00',
  '%2e%2e%2f',
  '%c0%ae',
  '%ff',
  "' or 1=1 --",
  '"; drop table users; --',
  '%_%',
  '\\',
  '$1',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e309',
  '9007199254740993',
  '-9223372036854775809',
  '0x10',
  '١٢',
  '\r\nx-evil: 1',
  '65536.0.0.0',
  '=',
  'AAAA====',
  '\u{1f6f3}'.repeat(50),
  'x'.repeat(300),
  'x'.repeat(20_000),
];

const hostileValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  -1e308,
  2 ** 53,
  -(2 ** 63),
  2 ** 31,
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  { length: 1e9 },
  nested(50),
  nested(2_000),
  Array(2_000).fill(0),
  JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}'),
];

const hostileText = fc.constantFrom(...hostileTexts);
const hostile = fc.oneof(fc.constantFrom(...hostileValues), hostileText);

/** An allowed object with one thing wrong: a field missing, of another type, hostile, too long, or too many. */
function spoilt(node: Node, ids: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const names = Object.keys(node.properties ?? node.anyOf?.[0]?.properties ?? {});
  if (names.length === 0) return hostile;
  return fc.tuple(allowed(node, ids), fc.constantFrom(...names), fc.nat(4), hostile).map(([value, name, how, bad]) => {
    const fields = { ...(value as Record<string, unknown>) };
    if (how === 0) delete fields[name];
    else if (how === 1) fields[name] = 'x'.repeat((node.properties?.[name]?.maxLength ?? 100) + 1);
    else if (how === 2) fields.unknown_field = bad;
    else fields[name] = bad;
    return fields;
  });
}

/** A JSON body that is not one any more, and what it is called. */
const broken = (text: string): fc.Arbitrary<{ readonly type: string; readonly payload: Buffer }> =>
  fc
    .record({
      type: fc.constantFrom(
        'application/json',
        'application/json',
        'application/json; charset=utf-16',
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=x',
        'multipart/form-data',
        'application/octet-stream',
        'x',
        '/',
        '',
      ),
      how: fc.nat(8),
      at: fc.nat(Math.max(0, text.length - 1)),
    })
    .map(({ type, how, at }) => {
      const bytes = Buffer.from(text);
      const payloads = [
        bytes,
        bytes.subarray(0, at),
        Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc0, 0x80]), bytes.subarray(at)]),
        Buffer.from('['.repeat(20_000)),
        Buffer.from(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`),
        Buffer.from('{"a":1e999,"b":-0,"a":2}'),
        Buffer.from('\ufeff{}'),
        Buffer.from('--x\r\ncontent-disposition: form-data; name="f"; filename="../a"\r\n\r\nabc\r\n--x--\r\n'),
        Buffer.alloc(0),
      ];
      return { type, payload: payloads[how] ?? bytes };
    });

/** A path segment, as it stands in a URL: most are encoded, some are just put there. */
const segment = (node: Node, ids: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
  return fc.oneof(
    { weight: 5, arbitrary: allowed(node, ids).map((value) => encoded(String(value))) },
    { weight: 2, arbitrary: hostileText.map(encoded) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('..', '%2e%2e', '%2E%2E%2F', '%00', '%', '%zz', '%ff', '..%5c', ';a=b', '*', '~'),
    },
  );
};

function urlOf(shape: EndpointShape, ids: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { properties = {} } = nodeOf(shape.params);
  const parts = shape.path.split('/').map((part) => {
    const name = /^\{(\w+)([*?]?)\}$/.exec(part);
    if (!name) return fc.constant(part);
    const one = segment(properties[name[1] ?? ''] ?? {}, ids);
    return name[2] === '*' ? fc.array(one, { maxLength: 4 }).map((many) => many.join('/')) : one;
  });
  return fc.tuple(...parts).map((all) => all.join('/'));
}

function queryOf(shape: EndpointShape, ids: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const node = nodeOf(shape.query);
  const encoded = (value: unknown): string => {
    const plain = typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
    return encodeURIComponent(plain.toWellFormed());
  };
  const text = (value: unknown): string =>
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([name, one]) => `${encodeURIComponent(name.toWellFormed())}=${encoded(one)}`)
          .join('&')
      : encoded(value);
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    { weight: 4, arbitrary: (shape.query ? allowed(node, ids) : fc.constant({})).map((value) => `?${text(value)}`) },
    { weight: 2, arbitrary: spoilt(node, ids).map((value) => `?${text(value)}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('?', '?&&&', '?%', '?a[]=1&a[]=2', '?limit=1&limit=2', '?%00', '?sort=%ff'),
    },
  );
}

/** The body of a request, if it has one, and the header that says what it is. */
function bodyOf(
  shape: EndpointShape,
  ids: fc.Arbitrary<string>,
): fc.Arbitrary<Pick<AbuseRequest, 'headers' | 'payload'>> {
  const of = (type: string, payload: string | Buffer) => ({
    headers: type === '' ? {} : { 'content-type': type },
    payload,
  });
  if (!shape.body || isBinary(shape.body)) {
    return fc.oneof(
      fc.constant({ headers: {} }),
      fc.uint8Array({ maxLength: 2_000 }).map((bytes) => of('application/octet-stream', Buffer.from(bytes))),
      broken('{"base64":"AAAA"}').map(({ type, payload }) => of(type, payload)),
    );
  }
  const node = nodeOf(shape.body);
  const json = (value: unknown) => of('application/json', JSON.stringify(value) ?? 'undefined');
  return fc.oneof(
    { weight: 4, arbitrary: allowed(node, ids).map(json) },
    { weight: 5, arbitrary: spoilt(node, ids).map(json) },
    { weight: 1, arbitrary: hostile.map(json) },
    {
      weight: 2,
      arbitrary: allowed(node, ids)
        .chain((value) => broken(JSON.stringify(value)))
        .map(({ type, payload }) => of(type, payload)),
    },
    { weight: 1, arbitrary: fc.constant({ headers: {} }) },
  );
}

const oddHeaders = fc.constantFrom<Record<string, string>>(
  {},
  {},
  {},
  {},
  {},
  {},
  {},
  { range: 'bytes=5-1' },
  { range: `bytes=0-${'9'.repeat(40)}` },
  { range: 'bytes=0-0,1-1,2-2' },
  { 'if-modified-since': 'yesterday' },
  { 'if-none-match': '*' },
  { 'x-request-id': '\u00ff'.repeat(400) },
  { accept: 'x'.repeat(5_000) },
  { 'content-encoding': 'gzip' },
  { 'if-range': '"' },
  { cookie: '='.repeat(3_000) },
);

/**
 * Requests of one endpoint, made from its own schemas: good ones, and such with anything wrong with them.
 *
 * @param ids values to take for ids: one's own, another's, unknown
 */
export const abuseOf = (shape: EndpointShape, ids: readonly string[]): fc.Arbitrary<AbuseRequest> => {
  const id = fc.constantFrom(...ids);
  return fc
    .tuple(urlOf(shape, id), queryOf(shape, id), bodyOf(shape, id), oddHeaders, fc.nat(19))
    .map(([path, query, body, odd, luck]) => ({
      // Once in a while another method, which the path may or may not have.
      method: luck === 0 ? 'PUT' : shape.method,
      url: path + query,
      headers: { ...odd, ...body.headers },
      ...(body.payload !== undefined && { payload: body.payload }),
    }));
};
