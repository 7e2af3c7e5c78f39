import { createHmac } from 'node:crypto';
import {
  type ConnectorOptions,
  type ConnectorType,
  connectorOptions,
  connectorTypes,
  type Refusal,
  refusal,
  refusalOfAll,
  sayProblem,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { Compile } from 'typebox/compile';

/** What a secret reads as; sent back, it leaves the secret as it is. Spec: API-RULE-connector-2. */
const mask = '***';

/** Options that are never shown. The values of headers are not either: any of them may carry a key. */
const secretFields: Readonly<Record<ConnectorType, readonly string[]>> = { webhook: ['secret'], mqtt: ['password'] };

const validators = {
  webhook: Compile(connectorOptions.webhook),
  mqtt: Compile(connectorOptions.mqtt),
} as const;

/** Headers that the service sets itself, or that say where a message ends. */
const reservedHeaders: readonly string[] = [
  'host',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-device-uuid',
  'x-signature',
];

type Loose = Readonly<Record<string, unknown>>;

const isLoose = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refuseField = (key: string, said: string): Refusal =>
  refusal('INVALID_REQUEST', { detail: `Field "${key}" of the body ${said}` }, { source: 'body', keys: [key] });

const invalid = (key: string, said: string) => failure(refuseField(key, said));

/** Options with their secrets masked, as records show them. */
export function maskSecrets(type: ConnectorType, opts: ConnectorOptions): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...opts, type };
  for (const field of secretFields[type]) if (shown[field] !== undefined) shown[field] = mask;
  if (isLoose(shown.headers)) {
    shown.headers = Object.fromEntries(Object.keys(shown.headers).map((name) => [name, mask]));
  }
  return shown;
}

/** Puts the stored values in the place of masks; a mask of nothing is taken out. */
function unmask(type: ConnectorType, sent: Loose, stored: Loose): Loose {
  const real = (value: unknown, known: unknown) => (value === mask ? known : value);
  const opened: Record<string, unknown> = { ...sent };
  for (const field of secretFields[type]) opened[field] = real(sent[field], stored[field]);
  if (isLoose(sent.headers)) {
    const known: Loose = isLoose(stored.headers) ? stored.headers : {};
    opened.headers = withoutUndefined(
      Object.fromEntries(Object.entries(sent.headers).map(([name, value]) => [name, real(value, known[name])])),
    );
  }
  return withoutUndefined(opened);
}

const withoutUndefined = (fields: Loose): Loose =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Where a stored secret would go to: it must not follow a change of target that its reader never saw. */
const targetOf = (opts: Loose): string => {
  const text = String(opts.url);
  return URL.canParse(text) ? new URL(text).host : text;
};

const hasMask = (type: ConnectorType, opts: Loose): boolean =>
  secretFields[type].some((field) => opts[field] === mask) ||
  (isLoose(opts.headers) && Object.values(opts.headers).includes(mask));

/**
 * Reads the options of a request by the schema of their type: `type` names it, a webhook without one. Refusal:
 * INVALID_REQUEST with the field that is wrong. Spec: API-FIELD-connector-opts, API-RULE-connector-1.
 *
 * @param stored the options so far, when the connector is there already; its type stays
 */
export function readOptions(
  sent: Loose,
  stored?: { readonly type: ConnectorType; readonly opts: ConnectorOptions },
): Result<{ type: ConnectorType; opts: ConnectorOptions }, Refusal> {
  const named = sent.type ?? stored?.type ?? 'webhook';
  const type = connectorTypes.find((known) => known === named);
  if (!type) return invalid('opts.type', sayProblem('enum', { allowedValues: connectorTypes }));
  if (stored && stored.type !== type) return invalid('opts.type', `never changes; it is "${stored.type}"`);
  if (stored && hasMask(type, sent) && targetOf(sent) !== targetOf(stored.opts)) {
    return invalid('opts.url', 'changes the target: send the secrets again with it');
  }
  const opts = unmask(type, { ...sent, type }, stored?.opts ?? {});
  const validator = validators[type];
  if (!validator.Check(opts)) {
    // Of a name that is not allowed there are two: this one is about the object that has it.
    const errors = validator.Errors(opts).filter(({ keyword }) => keyword !== 'additionalProperties');
    const refused = errors.flatMap(({ keyword, params, instancePath }) => {
      const path = ['opts', ...instancePath.split('/').slice(1)];
      const names: readonly unknown[] = keyword === 'required' ? params.requiredProperties : [undefined];
      const said = sayProblem(keyword, params);
      return names.map((name) => refuseField([...path, ...(name === undefined ? [] : [name])].join('.'), said));
    });
    return failure(refusalOfAll(refused) ?? refuseField('opts', 'is not valid'));
  }
  if (!URL.canParse(opts.url)) return invalid('opts.url', 'is not a URL');
  const reserved =
    'headers' in opts
      ? Object.keys(opts.headers ?? {}).find((name) => reservedHeaders.includes(name.toLowerCase()))
      : undefined;
  if (reserved !== undefined) return invalid(`opts.headers.${reserved}`, 'is set by the service');
  return success({ type, opts });
}

/** `X-Signature` of a body. Spec: API-RULE-connector-4. */
export const signatureOf = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Pauses before a delivery is tried again, in seconds. Spec: API-RULE-connector-5. */
const retryPausesS = [10, 60, 300] as const;

/** Milliseconds until the next try of an event, after so many tries; `undefined` when that was the last one. */
export const retryPauseMs = (attempts: number): number | undefined => {
  const pauseS = retryPausesS[attempts - 1];
  return pauseS === undefined ? undefined : pauseS * 1_000;
};

/** What is sent: what happened, and to which device of which product. Reference: events 2.2. */
export interface Outgoing {
  /** The same in each try, so that a target that has taken it and answered late takes it once. */
  readonly id: string;
  readonly event: string;
  readonly code: string;
  readonly device: { readonly id: string; readonly uuid: string; readonly title: string } | null;
  readonly product: { readonly id: string; readonly product: string };
  readonly data: unknown;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

/** What a target gets, JSON text. Reference: events 2.2. */
export const bodyOf = ({ id, event, code, device, product, data, atMs }: Outgoing): string =>
  JSON.stringify({ id, device, product, code, event, data, at: String(atMs) });

/** The topic of a message. A value never adds a level or a wildcard to it. */
export function topicOf(template: string, { event, code, device, product }: Outgoing): string {
  const values: Readonly<Record<string, string>> = {
    product: product.product,
    device: device?.uuid ?? '-',
    code,
    event,
  };
  return template.replace(/\{(\w+)\}/g, (blank, name: string) => values[name]?.replace(/[/+#\0]/g, '_') ?? blank);
}

/** What a device gets back of an answer: its JSON, or nothing when it is empty; any other answer is an error. */
export function answerData(status: number, body: string): Result<unknown, string> {
  if (status < 200 || status > 299) return failure(`status ${status}`);
  if (body.trim() === '') return success(null);
  try {
    return success(JSON.parse(body));
  } catch {
    return failure('the answer is not JSON');
  }
}
