import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { common } from '../texts/common.ts';
import { typingMs } from './search-box.tsx';

interface FoundOption {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

interface FoundSelectProps extends SelectProps {
  readonly label: string;
  /** The label is for screen readers alone. */
  readonly hideLabel?: boolean;
  /** What is chosen and what the service has found; one may be among both. */
  readonly options: readonly FoundOption[];
  /** Has the service search for a text; for `""` also when it is the label of an option. */
  readonly onSearch: (text: string) => void;
  /** That nothing was found. */
  readonly nothing: string;
}

/** A choice among more than can be listed: the service searches while one types. */
export function FoundSelect({ label, hideLabel = false, options, onSearch, nothing, ...select }: FoundSelectProps) {
  const data = [...new Map(options.map((option) => [option.value, option])).values()];
  const search = useDebouncedCallback(onSearch, typingMs);
  return (
    <Select
      {...(hideLabel ? { 'aria-label': label } : { label })}
      {...select}
      data={data}
      searchable
      clearButtonProps={{ 'aria-label': common.any(label) }}
      nothingFoundMessage={nothing}
      // The service has searched already, by more than the label.
      filter={({ options: found }) => found}
      onSearchChange={(text) => search(data.some((option) => option.label === text) ? '' : text)}
    />
  );
}
