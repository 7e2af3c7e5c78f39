import { Button, Group, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { deviceStates, tags } from '@moorage/api';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { useInit } from '../../api/session.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import type { ListAddress } from '../../ui/use-list.ts';
import { deviceStateWords } from './device-state.ts';

/** Every filter of the list; those without a control come from links of other pages. */
export const deviceFilters = [
  'q',
  'product_id',
  'platform_id',
  'bundle_id',
  'user_id',
  'tag',
  'state',
  'online',
  'claimable',
  'updated',
] as const;

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface ChoiceFilterProps {
  readonly list: ListAddress;
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
}

/** Mantine takes no empty value; in addresses and at the service it means "none". */
const none = '(none)';

function ChoiceFilter({ list, name, label, choices }: ChoiceFilterProps) {
  const value = list.filters[name];
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={choices.map((choice) => ({ ...choice, value: choice.value === '' ? none : choice.value }))}
      clearable
      clearButtonProps={{ 'aria-label': `${label}: any` }}
      value={value === undefined ? null : value === '' ? none : value}
      onChange={(next) => list.setFilter(name, next === none ? '' : (next ?? undefined))}
      w={{ base: 'calc(50% - 6px)', sm: 132 }}
    />
  );
}

/** Letters that are typed together are one question, in ms. */
const typingMs = 200;

interface ProductSelectProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
  readonly required?: boolean;
  readonly hideLabel?: boolean;
  readonly width?: Record<string, string | number>;
  /** Only products of which production products can be made. */
  readonly development?: boolean;
}

/** A product, found by typing part of its title or code. */
export function ProductSelect(props: ProductSelectProps) {
  const { label, placeholder, value, onChange, required, hideLabel, width, development = false } = props;
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, typingMs);
  const query = { limit: 20, ...(q !== '' && { q }), ...(development && { production: false }) };
  const found = useCall('products.list', { query }, { keepPrevious: true });
  const chosen = useCall('products.get', { params: { product_id: value ?? '' } }, { enabled: value !== null });
  const products = [...(chosen.data ? [chosen.data.value] : []), ...(found.data?.value ?? [])];
  const data = new Map(products.map(({ id, title, product }) => [id, { value: id, label: `${title} (${product})` }]));
  return (
    <Select
      {...(hideLabel ? { 'aria-label': label } : { label })}
      placeholder={placeholder ?? label}
      data={[...data.values()]}
      searchable
      clearable={!required}
      clearButtonProps={{ 'aria-label': `${label}: any` }}
      required={required ?? false}
      nothingFoundMessage="No such product"
      // The service has searched already, by more than the label.
      filter={({ options }) => options}
      onSearchChange={(text) => setTyped([...data.values()].some((one) => one.label === text) ? '' : text)}
      value={value}
      onChange={onChange}
      {...(width && { w: width })}
    />
  );
}

const stateChoices = deviceStates.map((value) => ({ value, label: deviceStateWords[value] }));
const tagChoices = [{ value: '', label: 'no tag' }, ...tags.map((value) => ({ value, label: value }))];
const updatedChoices = [
  { value: 'ok', label: 'up to date' },
  { value: 'outdated', label: 'updating' },
  { value: 'failed', label: 'update failed' },
];
const onlineChoices = [
  { value: 'true', label: 'online' },
  { value: 'false', label: 'offline' },
];

/** What of the devices is shown. */
export function DeviceFilters({ list }: { readonly list: ListAddress }) {
  const { init } = useInit();
  const platforms = (init?.platforms ?? []).map(({ id, code }) => ({ value: id, label: code }));
  return (
    <Group gap="sm" role="search" aria-label="Filters of the devices">
      <SearchBox
        label="Search devices by title, uuid or MAC address"
        placeholder="Title, uuid or MAC address"
        value={list.filters.q}
        onChange={(value) => list.setFilter('q', value)}
      />
      <ProductSelect
        hideLabel
        label="Product"
        value={list.filters.product_id ?? null}
        onChange={(id) => list.setFilter('product_id', id ?? undefined)}
        width={{ base: '100%', sm: 210 }}
      />
      <ChoiceFilter list={list} name="platform_id" label="Platform" choices={platforms} />
      <ChoiceFilter list={list} name="state" label="State" choices={stateChoices} />
      <ChoiceFilter list={list} name="tag" label="Tag" choices={tagChoices} />
      <ChoiceFilter list={list} name="updated" label="Update" choices={updatedChoices} />
      <ChoiceFilter list={list} name="online" label="Connection" choices={onlineChoices} />
      {Object.keys(list.filters).length > 0 && (
        <Button variant="subtle" onClick={list.clear}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
