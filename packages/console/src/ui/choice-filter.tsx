import { Select, type SelectProps } from '@mantine/core';
import { common } from '../texts/common.ts';
import type { ListAddress } from './use-list.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface ChoiceFilterProps {
  readonly list: ListAddress;
  readonly name: string;
  readonly label: string;
  /** What stands there while nothing is chosen; the label without it. */
  readonly any?: string;
  readonly choices: readonly (string | Choice)[];
  readonly width?: SelectProps['w'];
  readonly searchable?: boolean;
}

/** The library takes no empty value; in addresses and at the service it means "none". */
const none = '(none)';

/** A filter of a list by one of several values. */
export function ChoiceFilter({ list, name, label, any = label, choices, ...looks }: ChoiceFilterProps) {
  const { width = { base: 'calc(50% - 6px)', sm: 150 }, searchable = false } = looks;
  const value = list.filters[name];
  return (
    <Select
      aria-label={label}
      placeholder={any}
      data={choices.map((one) => (typeof one === 'string' ? one : { ...one, value: one.value || none }))}
      searchable={searchable}
      clearable
      clearButtonProps={{ 'aria-label': common.any(label) }}
      value={value === undefined ? null : value || none}
      onChange={(next) => list.setFilter(name, next === none ? '' : (next ?? undefined))}
      w={width}
    />
  );
}
