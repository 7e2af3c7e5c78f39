import { refusedFieldsLimit, type Spelling, spellingKeyword, spellings } from '@moorage/api';
import { isUuid } from '@moorage/base';
import { Ajv, type KeywordDefinition, type ValidateFunction } from 'ajv';
import buildSerialiser, { type Schema } from 'fast-json-stringify';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { FastifySchemaValidationError, FastifySerializerCompiler } from 'fastify/types/schema.d.ts';
import type { StatusOf } from './errors.ts';
import { nulsOf, type Problem, problemsOf } from './problems.ts';

const formats = { uuid: isUuid };

// Query and path carry text only, so there values are read as what the schema wants. A JSON body says what it means.
const options = { useDefaults: true, removeAdditional: false, strict: false, formats } as const;
const ofText = new Ajv({ ...options, coerceTypes: true });
const ofBody = new Ajv({ ...options, coerceTypes: false });

/**
 * Puts ids, addresses and codes as records spell them in the place of what was sent, so that handlers and queries see
 * one spelling only. Its form has been checked before: the keyword comes after those of the library.
 */
const spellingDefinition: KeywordDefinition = {
  keyword: spellingKeyword,
  type: 'string',
  modifying: true,
  errors: false,
  compile(spelling: Spelling) {
    const spell = spellings[spelling];
    return (text: string, place) => {
      if (place) place.parentData[place.parentDataProperty] = spell(text);
      return true;
    };
  },
};
for (const ajv of [ofText, ofBody]) ajv.addKeyword(spellingDefinition);

/** JSON bodies whose text has the character NUL somewhere, until they are validated. */
export const bodiesWithNul = new WeakSet<object>();

/** A problem in the form that the framework hands on. */
const toError = ({ path, said }: Problem): FastifySchemaValidationError => ({
  keyword: '',
  instancePath: '',
  schemaPath: '',
  params: { path },
  message: said,
});

type Fields = Record<string, unknown>;

/** Names that were made up are cut there, in characters. */
const shownNameLength = 100;

/** Fields of an object that its schema does not declare; none where the schema lets any be there. */
function undeclaredIn(schema: Fields, value: unknown): string[] {
  const { properties, additionalProperties, patternProperties } = schema;
  if (typeof value !== 'object' || value === null || additionalProperties || patternProperties) return [];
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
}

const unknownParameter = (name: string): Problem => ({
  path: [name.slice(0, shownNameLength)],
  said: 'is not a parameter of this endpoint',
});

/**
 * Makes what compiles the schemas of a route. Its requests have what the contract declares and nothing else from then
 * on, so that no check believes a name that the endpoint does not look at. An undeclared query parameter is refused, or
 * dropped where clients are not ours; fields of a body are dropped: a client sends a record back as it has read it. What
 * is refused is looked at again, for all that is wrong with it. Spec: API-RULE-payload-1, API-RULE-payload-2, API-RULE-list-3.
 */
export const validatorCompiler =
  (undeclared: 'refuse' | 'drop'): FastifySchemaCompiler<Readonly<Fields>> =>
  ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? ofBody : ofText;
    const isValid: ValidateFunction = ajv.compile(schema);
    const refuses = undeclared === 'refuse' && httpPart === 'querystring';
    const validate = (value: unknown): boolean => {
      const hasNul = typeof value === 'object' && value !== null && bodiesWithNul.has(value);
      const others = undeclaredIn(schema, value);
      const refused = refuses ? others : [];
      const isFine = isValid(value) && !hasNul && refused.length === 0;
      const problems = isFine
        ? []
        : [
            ...(isValid.errors ? problemsOf(ajv, schema, value) : nulsOf(schema, value)),
            ...refused.map(unknownParameter),
          ];
      validate.errors = problems.slice(0, refusedFieldsLimit).map(toError);
      // Safe: an object has these fields.
      if (problems.length === 0) for (const name of others) delete (value as Fields)[name];
      return problems.length === 0;
    };
    validate.errors = [] as FastifySchemaValidationError[];
    return validate;
  };

interface SchemaNode {
  readonly [keyword: string]: unknown;
}

const isNode = (value: unknown): value is SchemaNode => typeof value === 'object' && value !== null;

/**
 * The schema as the serialiser wants it: "X or null" as X that may be null. As a union it would try each branch with
 * a validator for each value, at many times the cost.
 */
function serialiserSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(serialiserSchema);
  if (!isNode(schema)) return schema;
  const branches = schema.anyOf;
  if (Array.isArray(branches) && branches.length === 2) {
    const other = branches.filter((branch) => !isNode(branch) || branch.type !== 'null');
    const [branch] = other;
    if (other.length === 1 && isNode(branch) && typeof branch.type === 'string') {
      return { ...(serialiserSchema(branch) as SchemaNode), nullable: true };
    }
  }
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, serialiserSchema(value)]));
}

const built = new WeakMap<object, ReturnType<typeof buildSerialiser>>();

/**
 * What writes values of a schema as JSON. It is built with the first of them, once for all servers of a process: that
 * takes half a millisecond for each endpoint, and few processes are asked for all.
 */
export const serialiserOf =
  (schema: object) =>
  (value: unknown): string => {
    let write = built.get(schema);
    if (!write) {
      // Safe: what the contract describes its replies with is JSON Schema.
      write = buildSerialiser(serialiserSchema(schema) as Schema);
      built.set(schema, write);
    }
    return write(value);
  };

/** Says how replies with a schema are written. */
export const compileSerialiser: FastifySerializerCompiler<object> = ({ schema }) => serialiserOf(schema);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A signature is over the text of the body. */
    readonly signed?: boolean;
    /** The statuses of its refusals. */
    readonly statusOf?: StatusOf;
    /** The body has what devices say. */
    readonly ofDevices?: boolean;
  }
}

/** Texts of JSON bodies as they came, of the requests under way whose bodies are signed. */
export const signedBodies = new WeakMap<FastifyRequest, string>();
