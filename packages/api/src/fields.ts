import Type, { type Static } from 'typebox';
import { attributeName, visible, withoutNul } from './patterns.ts';
import { spelt } from './spellings.ts';

/** The form of `Timestamp`, by which files of lists know a moment. */
export const timestampPattern = '^\\d{1,16}$';

/** Epoch milliseconds in a string, as every `*_at` field carries it. Reference: model 2.2. Spec: API-RULE-time-1. */
export const Timestamp = Type.String({
  pattern: timestampPattern,
  description: 'epoch milliseconds',
  examples: ['1700000000000'],
});

/** Epoch milliseconds as such a field carries them; a time that has not come yet is `null`. */
export const optionalTimestamp = (timeMs: number | null): string | null => (timeMs === null ? null : String(timeMs));

/** A record id in a path or body, in any letter case. */
export const Id = Type.String({
  format: 'uuid',
  ...spelt('id'),
  examples: ['6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e'],
});

/** A value that a record may lack: `null` says so. */
export const Nullable = <const S extends Type.TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** The answer of an action that returns no record. Spec: API-ERR-1. */
export const ResultOk = Type.Object({ result: Type.Literal('ok') });

export const resultOk: Static<typeof ResultOk> = { result: 'ok' };

/** Body of every refusal. Reference: api 2.1, 2.2. */
export const ErrorBody = Type.Object({
  statusCode: Type.Integer(),
  error: Type.String(),
  message: Type.String(),
  code: Type.String({ description: 'stable code, see the error table' }),
  validation: Type.Optional(
    Type.Object(
      { source: Type.Enum(['params', 'query', 'body', 'headers']), keys: Type.Array(Type.String()) },
      { description: 'with every status 400: the part of the request that is wrong, and all of its wrong fields' },
    ),
  ),
  challenge: Type.Optional(
    Type.String({ description: 'with SECOND_FACTOR_REQUIRED: what the call that finishes the login names' }),
  ),
});

/** Forms in which a list may be had as a whole. Spec: API-RULE-export-1. */
export const exportFormats = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Query parameters of every list. Reference: api 1.1, 1.4. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000, default: 0 })),
  sort: Type.Optional(Type.String({ maxLength: 40, description: 'field name, "-" before it for descending' })),
  format: Type.Optional(
    Type.Enum([...exportFormats], {
      description: 'the whole list as a file, whatever `limit` and `offset` say; for addresses, not for the client',
    }),
  ),
};

/** Text of a record, up to `maxLength` characters. Requests with the character NUL do not come this far. */
export const Text = (maxLength: number, options: Type.TStringOptions = {}) => Type.String({ maxLength, ...options });

/** A name that people give to a thing and find it by: not blank. */
export const Title = (maxLength: number) => Text(maxLength, { pattern: visible });

/** The query parameter `sort` of one list: these fields, "-" before one for descending order. Reference: api 1.1. */
export const sortBy = <const F extends string>(fields: readonly F[], otherwise: F | `-${F}`) =>
  Type.Optional(
    Type.Enum([...fields, ...fields.map((field) => `-${field}` as const)], {
      default: otherwise,
      description: 'field name, "-" before it for descending',
    }),
  );

/** What a list takes and answers: a page of such records, in this order, of those that fit the filters. Reference: api 1.1. */
export const pageOf = <
  const R extends Type.TSchema,
  S extends Type.TSchema,
  F extends Type.TProperties = Record<never, never>,
>(
  record: R,
  sort: S,
  // Safe: only who names no filters leaves them out.
  filters: F = {} as F,
) => ({ query: Type.Object({ ...pageQuery, sort, ...filters }), reply: Type.Array(record), paged: true }) as const;

/** A MAC or Bluetooth address in any usual spelling: colons, hyphens, dots or nothing, either letter case. */
export const MacAddress = Type.String({
  pattern: '^([0-9a-fA-F]{12}|[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}|[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}){2})$',
  ...spelt('mac'),
  description: 'six bytes in hexadecimal, with colons, hyphens, dots or nothing between them',
  examples: ['4C:55:CC:10:78:9B'],
});

/** A bundle id; the empty text, which a module without a bundle sends, is as good as none. */
export const IdOrEmpty = (description: string) => Type.Union([Id, Type.Literal('')], { description });

/** Any of the names of a device: id, hardware uuid, MAC or Bluetooth address. */
export const Identifier = Type.String({
  minLength: 1,
  maxLength: 40,
  ...spelt('device'),
  description: 'id, uuid, MAC or Bluetooth address',
});

/** The user whom a request names, who has an account. */
export const AccountName = Text(254, { minLength: 1, description: 'email address or user name' });

/** Where a device is, as it or its user tells. Spec: API-RULE-location-1. */
export const LocationInput = Type.Object({
  lat: Type.Number({ minimum: -90, maximum: 90, description: 'degrees north' }),
  lon: Type.Number({ minimum: -180, maximum: 180, description: 'degrees east' }),
  city: Type.Optional(Text(100)),
  country: Type.Optional(Text(100)),
});

/** Longest filter, in characters. Spec: API-RULE-filter-1. */
export const filterLimit = 2_000;

/** A condition over devices in RSQL. Reference: rules 6.2. */
export const FilterText = Text(filterLimit, {
  minLength: 1,
  description: 'a condition over devices in RSQL',
  examples: ['label.region==eu;attribute.free_flash=gt=65536;last_seen=ge=-7d'],
});

/** Attributes that the service keeps of a device, and labels that a device may have. Spec: API-LIMIT-attributes. */
export const attributesLimit = 64;
export const labelsLimit = 32;

/** Name of an attribute or label, and what it may be. */
export const AttributeName = Type.String({ pattern: attributeName });
export const AttributeValue = Text(256, { pattern: withoutNul });

/** What a device reports of itself, by name; `null` takes a name back. Spec: API-RULE-attributes-1. */
export const ReportedAttributes = Type.Record(
  AttributeName,
  Type.Union([AttributeValue, Type.Number(), Type.Boolean(), Type.Null()]),
  {
    maxProperties: attributesLimit,
    additionalProperties: false,
    examples: [{ free_flash: 65536, board: 'Harbour.3' }],
  },
);
export type ReportedAttributes = Static<typeof ReportedAttributes>;

/** What became of many devices: those that are not listed are as was asked. */
export const ManyResult = Type.Object({
  ok: Type.Integer({ minimum: 0, description: 'devices that are as was asked now' }),
  refused: Type.Array(
    Type.Object({
      device_id: Id,
      code: Type.String({ description: 'stable code, as the call for one device has it' }),
      message: Type.String(),
    }),
  ),
});
export type ManyResult = Static<typeof ManyResult>;
