import { t } from '../../texts/devices.tsx';
import { quoted } from '../../ui/filter-value.ts';

/** Filters of the list that the service takes as one condition in RSQL: their names in the address. */
export const conditionFilters = ['version', 'label', 'seen', 'filter'] as const;

/** When a device was seen last, by the name of the span in the address. */
export const seenSpans = [
  { value: 'hour', label: t.inLastHour, condition: 'last_seen=ge=-1h' },
  { value: 'day', label: t.inLastDay, condition: 'last_seen=ge=-1d' },
  { value: 'week', label: t.inLastWeek, condition: 'last_seen=ge=-7d' },
  { value: 'not-day', label: t.notForDay, condition: 'last_seen=lt=-1d' },
  { value: 'not-week', label: t.notForWeek, condition: 'last_seen=lt=-7d' },
  { value: 'never', label: t.never, condition: 'last_seen!=*' },
] as const;

/** A condition on a label: `region=eu`, or `region` for all devices that have it. */
function labelCondition(text: string): string {
  const at = text.indexOf('=');
  const name = (at < 0 ? text : text.slice(0, at)).trim();
  const value = at < 0 ? '*' : text.slice(at + 1).trim();
  return `label.${name}==${quoted(value)}`;
}

/**
 * The query of the list for what its address holds: some filters are parameters of their own, the others one condition
 * that all of them are in.
 */
export function deviceQuery(filters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { version, label, seen, filter, ...others } = filters;
  const span = seenSpans.find(({ value }) => value === seen);
  const conditions = [
    ...(version ? [`version==${quoted(version)}`] : []),
    ...(label ? [labelCondition(label)] : []),
    ...(span ? [span.condition] : []),
    ...(filter ? [`(${filter})`] : []),
  ];
  return conditions.length === 0 ? others : { ...others, filter: conditions.join(';') };
}
