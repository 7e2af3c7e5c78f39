import Type, { type Static } from 'typebox';
import { binary, endpoints } from '../endpoint.ts';

/** Longest capabilities file, in bytes. Reference: data-cloud 2.3. */
export const capabilitiesLimitBytes = 4096;

/** Longest value of a sample or control, in characters. Reference: data-cloud 2.4. */
export const dataValueLimit = 128;

/** Longest message of either box, in bytes; and how many a box keeps. Reference: data-cloud 2.4. */
export const messageLimitBytes = 2048;
export const messagesPerBox = 50;

/** Name of a stream or control. Spec: MOD-CMD-cloud_write. */
export const dataName = '^[a-z0-9_-]{1,24}$';

/** A sample or the value of a control. */
export const DataValue = Type.Union([Type.Number(), Type.String({ maxLength: dataValueLimit })]);
export type DataValue = Static<typeof DataValue>;

const titled = {
  title: Type.Optional(Type.String({ maxLength: 64 })),
  type: Type.Enum(['number', 'string']),
  units: Type.Optional(Type.String({ maxLength: 16 })),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
};

/** One time series that a device writes. */
export const StreamCapability = Type.Object(titled);
/** One value that both sides set; `default` is what it has until then. */
export const ControlCapability = Type.Object({ ...titled, default: Type.Optional(DataValue) });

const byName = <const S extends Type.TSchema>(schema: S) =>
  Type.Record(Type.String({ pattern: dataName }), schema, { maxProperties: 16, additionalProperties: false });

/** What a device can do, as its capabilities file says it; published at `/schemas/capabilities.json`. Unknown keys are ignored. */
export const Capabilities = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64 }),
    version: Type.String({ maxLength: 40 }),
    streams: Type.Optional(byName(StreamCapability)),
    controls: Type.Optional(byName(ControlCapability)),
    messages: Type.Optional(
      Type.Object({ 'to-device': Type.Optional(Type.Boolean()), 'from-device': Type.Optional(Type.Boolean()) }),
    ),
  },
  { title: 'Capabilities of a device' },
);
export type Capabilities = Static<typeof Capabilities>;
export type DataCapability = Static<typeof StreamCapability>;

/**
 * The largest number of a stream or control, and the least: JSON reads what is beyond all numbers as infinite and cannot
 * write it again, and some thousands of these still have a sum.
 */
const largestNumber = 1e300;

/** Why a value does not suit its stream or control; `undefined` when it does. */
export function valueProblem(value: DataValue, { type, min, max }: DataCapability): string | undefined {
  if (typeof value !== type) return `is not a ${type}`;
  if (typeof value === 'string') return undefined;
  if (Math.abs(value) > largestNumber) return 'is too large';
  if (min !== undefined && value < min) return `is under ${min}`;
  if (max !== undefined && value > max) return `is over ${max}`;
  return undefined;
}

/** Rules of a capabilities file beyond its shape; the first that it breaks, in words. */
export function capabilitiesProblem({ streams = {}, controls = {} }: Capabilities): string | undefined {
  const twice = Object.keys(streams).find((name) => Object.hasOwn(controls, name));
  if (twice !== undefined) return `"${twice}" is both a stream and a control`;
  for (const [name, entry] of Object.entries({ ...streams, ...controls })) {
    if ([entry.min, entry.max].some((end) => end !== undefined && Math.abs(end) > largestNumber)) {
      return `The range of "${name}" is too large`;
    }
    if (entry.min !== undefined && entry.max !== undefined && entry.min > entry.max) {
      return `The range of "${name}" is empty`;
    }
  }
  for (const [name, { default: value, ...control }] of Object.entries(controls)) {
    const problem = value === undefined ? undefined : valueProblem(value, control);
    if (problem) return `The default of "${name}" ${problem}`;
  }
  return undefined;
}

/** What others check their files against. */
export const schemasContract = endpoints(
  { tag: 'Data of devices', auth: 'none' },
  {
    capabilities: {
      route: 'GET /schemas/capabilities.json',
      spec: ['API-DATA-capabilities'],
      summary: 'JSON Schema of capabilities files',
      description:
        'Beyond the schema: a file has at most 4,096 bytes, no name is both a stream and a control, no range is empty, ' +
        'and a default is a value that its control may have.',
      reply: binary('application/schema+json'),
    },
  },
);

/** The JSON Schema of capabilities files, as it is published. */
export const capabilitiesSchema: Readonly<Record<string, unknown>> = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:moorage:capabilities:1',
  ...Capabilities,
};
