import { type ConnectorType, connectorOptions, type MqttOptions, type WebhookOptions } from '@moorage/api';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/connectors.ts';

export type OptionName = Exclude<keyof WebhookOptions | keyof MqttOptions, 'type'>;

type Kind = 'text' | 'secret' | 'long' | 'number' | 'switch' | 'choice' | 'events' | 'headers';

interface OptionText {
  readonly label: string;
  readonly help?: string;
  /** Where the schema does not say how it is best typed. */
  readonly kind?: Kind;
}

/** What the forms call each option. A new option of the contract does not compile before it has a line here. */
const optionTexts: Readonly<Record<OptionName, OptionText>> = {
  url: { label: 'URL' },
  method: { label: t.method },
  headers: { label: common.headers, help: t.valuesThatAreKeptRead },
  secret: {
    label: t.secret,
    kind: 'secret',
    help: t.signsWhatIsSentX,
  },
  username: { label: t.userName },
  password: { label: common.password, kind: 'secret', help: t.valueThatIsKeptReads },
  topic: { label: t.topic },
  qos: { label: t.qualityOfService },
  ca: { label: t.certificateOfAuthority, kind: 'long', help: t.pemEmptyForWellKnown },
  home_assistant: { label: t.announceDevices, help: t.devicesAppearAtHomeAssistant },
  discovery_prefix: { label: t.discoveryPrefix, help: t.whereHomeAssistantLooks },
  timeout_ms: { label: t.timeoutInMs },
  events: { label: t.events, help: t.whatServiceSendsByItself },
};

/** The order of the fields: what is always needed comes first. */
const order = Object.keys(optionTexts) as OptionName[];

/** One field of a form, made of the schema of the option. */
export interface OptionField {
  readonly name: OptionName;
  readonly label: string;
  readonly help: string | undefined;
  readonly kind: Kind;
  readonly required: boolean;
  readonly choices: readonly string[];
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly maxLength: number | undefined;
  /** Form of the text, as the contract writes it. */
  readonly pattern: string | undefined;
  /** What the service takes when nothing is sent, or an example. */
  readonly placeholder: string | undefined;
}

/** What of JSON Schema the options use. */
interface OptionSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly enum?: readonly string[] };
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly description?: string;
}

function kindOf({ type, enum: choices }: OptionSchema): Kind {
  if (choices) return 'choice';
  if (type === 'integer') return 'number';
  if (type === 'boolean') return 'switch';
  if (type === 'array') return 'events';
  return type === 'object' ? 'headers' : 'text';
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

/** The fields of the form for connectors of a type, made of the contract's options. */
export function fieldsOf(type: ConnectorType): OptionField[] {
  const { properties, required } = connectorOptions[type];
  const schemas: Readonly<Record<string, OptionSchema>> = properties;
  const needed: readonly string[] = required;
  return order.flatMap((name) => {
    const schema = schemas[name];
    if (!schema) return [];
    const { label, help, kind } = optionTexts[name];
    return {
      name,
      label,
      help: help ?? schema.description,
      kind: kind ?? kindOf(schema),
      required: needed.includes(name),
      choices: schema.enum ?? schema.items?.enum ?? [],
      min: schema.minimum,
      max: schema.maximum,
      maxLength: schema.maxLength,
      pattern: schema.pattern,
      placeholder: textOf(schema.default ?? schema.examples?.[0]),
    };
  });
}

/** One header as it is typed. */
export interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

/** What is typed into a form, by option. */
export type OptionValues = Readonly<
  Partial<Record<OptionName, string | number | boolean | readonly string[] | readonly HeaderRow[]>>
>;

/** What a form begins with for options that are kept. */
export function valuesOf(opts: Readonly<Record<string, unknown>>): OptionValues {
  const values = Object.entries(opts).filter(([name]) => name !== 'type');
  return Object.fromEntries(
    values.map(([name, value]) => [
      name,
      name === 'headers'
        ? Object.entries(value as Readonly<Record<string, string>>).map(([key, text]) => ({ name: key, value: text }))
        : value,
    ]),
  ) as OptionValues;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** The options to send: what was left empty is left out, so that the service's own choice holds. */
export function optionsFrom(
  type: ConnectorType,
  values: OptionValues,
): Record<string, unknown> & { type: ConnectorType } {
  const sent = fieldsOf(type).flatMap(({ name, kind }): [string, unknown][] => {
    const value = values[name];
    if (isEmpty(value)) return [];
    if (kind !== 'headers') return [[name, value]];
    const rows = (value as readonly HeaderRow[]).filter((row) => row.name.trim() !== '');
    return rows.length === 0 ? [] : [[name, Object.fromEntries(rows.map((row) => [row.name.trim(), row.value]))]];
  });
  return { type, ...Object.fromEntries(sent) };
}

/** Whether a typed text does not have the form that the contract asks for. */
export const isMisshapen = ({ pattern }: OptionField, value: unknown): boolean =>
  pattern !== undefined && typeof value === 'string' && value !== '' && !new RegExp(pattern).test(value);

/** Whether everything that an option's form asks for is there, and has the form it needs. */
export const isComplete = (type: ConnectorType, values: OptionValues): boolean =>
  fieldsOf(type).every(
    (field) => (!field.required || !isEmpty(values[field.name])) && !isMisshapen(field, values[field.name]),
  );
