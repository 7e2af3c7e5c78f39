import { common } from '../../texts/common.ts';
import { t } from '../../texts/rollouts.ts';
import { quoted } from '../../ui/filter-value.ts';

/** How the values of a field compare, and so which conditions there are. */
type FieldKind = 'text' | 'version' | 'number' | 'time';

export interface FilterField {
  readonly name: string;
  readonly title: string;
  readonly kind: FieldKind;
  /** The name goes on with one that is typed: `label.region`. */
  readonly named?: boolean;
}

/** What a condition can be about. Reference: rules 6.2. */
export const filterFields: readonly FilterField[] = [
  { name: 'label', title: common.label, kind: 'text', named: true },
  { name: 'tag', title: common.tag, kind: 'text' },
  { name: 'version', title: common.version, kind: 'version' },
  { name: 'last_seen', title: common.lastSeen, kind: 'time' },
  { name: 'online', title: t.online, kind: 'time' },
  { name: 'title', title: common.title, kind: 'text' },
  { name: 'state', title: common.state, kind: 'text' },
  { name: 'owner', title: common.owner, kind: 'text' },
  { name: 'update', title: t.stateOfLastUpdate, kind: 'text' },
  { name: 'attribute', title: t.attributeAsText, kind: 'text', named: true },
  { name: 'attribute', title: t.attributeAsNumber, kind: 'number', named: true },
];

export interface FilterCondition {
  readonly title: string;
  /** The operator, and what stands behind it; the value goes where the asterisk is, quoted where it has to be. */
  readonly write: (value: string) => string;
  /** It needs no value. */
  readonly bare?: boolean;
  /** What a value looks like. */
  readonly placeholder?: string;
}

const compare = (title: string, operator: string, placeholder?: string): FilterCondition => ({
  title,
  write: (value) => operator + quoted(value.trim()),
  ...(placeholder !== undefined && { placeholder }),
});
const bare = (title: string, text: string): FilterCondition => ({ title, write: () => text, bare: true });

/** Several values with commas between them. */
const oneOf: FilterCondition = {
  title: t.isOneOf,
  write: (value) =>
    `=in=(${value
      .split(',')
      .map((one) => quoted(one.trim()))
      .join(',')})`,
  placeholder: 'eu, us',
};

const isSet = bare(t.isSet, '==*');
const isNotSet = bare(t.isNotSet, '!=*');

export const conditionsOf: Readonly<Record<FieldKind, readonly FilterCondition[]>> = {
  text: [compare(t.is, '==', t.standsForAnything), compare(t.isNot, '!='), oneOf, isSet, isNotSet],
  version: [
    compare(t.is, '==', '1.2.0.0'),
    compare(t.isNot, '!=', '1.2.0.0'),
    compare(t.isAtLeast, '=ge=', '1.2.0.0'),
    compare(t.isBelow, '=lt=', '1.2.0.0'),
  ],
  number: [compare(t.isAtLeast, '=ge=', '65536'), compare(t.isBelow, '=lt=', '65536')],
  time: [
    { title: t.withinLast, write: (value) => `=ge=-${value.trim()}`, placeholder: '7d, 12h, 30m' },
    { title: t.notWithinLast, write: (value) => `=lt=-${value.trim()}`, placeholder: '7d, 12h, 30m' },
    { ...isSet, title: t.yesNowOrOnce },
    { ...isNotSet, title: t.noNever },
  ],
};

/** One condition while it is put together. */
export interface FilterRow {
  /** Place in `filterFields`. */
  readonly field: number;
  /** The part of the name that is typed. */
  readonly name: string;
  /** Place in the conditions of the field. */
  readonly condition: number;
  readonly value: string;
}

export const emptyRow: FilterRow = { field: 0, name: '', condition: 0, value: '' };

/** What a condition still lacks. */
export const lacks = ({ field, name, condition, value }: FilterRow): 'name' | 'value' | undefined => {
  const found = filterFields[field];
  if (found?.named && name.trim() === '') return 'name';
  return !(found && conditionsOf[found.kind][condition]?.bare) && value.trim() === '' ? 'value' : undefined;
};

/** The text of a condition; `undefined` while something is missing. */
function rowText(row: FilterRow): string | undefined {
  const { field, name, condition, value } = row;
  const found = filterFields[field];
  const compared = found && conditionsOf[found.kind][condition];
  if (!compared || lacks(row)) return undefined;
  return `${found.name}${found.named ? `.${name.trim()}` : ''}${compared.write(value)}`;
}

/** Stands in a filter for a condition that is not complete. The service refuses it, so that no form can send it for "all". */
const unfinished = '…';

/** The filter of devices that fit all conditions; one that is not complete makes it one that is not finished. */
export const rowsText = (rows: readonly FilterRow[]): string => rows.map((row) => rowText(row) ?? unfinished).join(';');

/** A rule for the field of a filter: while a condition is not complete, its form cannot be sent. */
export const finished = (filter: string): string | null =>
  filter.split(';').includes(unfinished) ? t.conditionIsNotComplete : null;
