import { Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { deviceStates, standingStates, tags } from '@moorage/api';
import { memo, useEffect, useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { useInit } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/devices.tsx';
import { stateName } from '../../texts/states.ts';
import { bindText } from '../../ui/bind-text.ts';
import { FilterBar } from '../../ui/filter-bar.tsx';
import type { ListAddress } from '../../ui/use-list.ts';
import { conditionFilters, seenSpans } from './device-filter.ts';
import { deviceStateWords, standingWords } from './device-state.ts';

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
  'standing',
  ...conditionFilters,
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
      clearButtonProps={{ 'aria-label': common.any(label) }}
      value={value === undefined ? null : value === '' ? none : value}
      onChange={(next) => list.setFilter(name, next === none ? '' : (next ?? undefined))}
      w={{ base: 'calc(50% - 6px)', sm: 150 }}
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
      clearButtonProps={{ 'aria-label': common.any(label) }}
      required={required ?? false}
      nothingFoundMessage={t.noSuchProduct}
      // The service has searched already, by more than the label.
      filter={({ options }) => options}
      onSearchChange={(text) => setTyped([...data.values()].some((one) => one.label === text) ? '' : text)}
      value={value}
      onChange={onChange}
      {...(width && { w: width })}
    />
  );
}

const stateChoices = deviceStates.map((value) => ({ value, label: stateName(deviceStateWords[value]) }));
const tagChoices = [{ value: '', label: t.noTag }, ...tags.map((value) => ({ value, label: value }))];
const standingChoices = standingStates.map((value) => ({ value, label: stateName(standingWords[value]) }));
const onlineChoices = [
  { value: 'true', label: stateName('online') },
  { value: 'false', label: stateName('offline') },
];

/** A filter by a text that is typed; it is set when the text is whole. */
export function TextFilter({
  list,
  name,
  label,
  wide = false,
}: {
  readonly list: ListAddress;
  readonly name: string;
  readonly label: string;
  /** Its label is long. */
  readonly wide?: boolean;
}) {
  const kept = list.filters[name] ?? '';
  const [text, setText] = useState(kept);
  useEffect(() => setText(kept), [kept]);
  const set = (): void => {
    if (text !== kept) list.setFilter(name, text === '' ? undefined : text);
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      {...bindText(text, setText)}
      onBlur={set}
      onKeyDown={(event) => {
        if (event.key === 'Enter') set();
      }}
      w={{ base: wide ? '100%' : 'calc(50% - 6px)', sm: wide ? 220 : 150 }}
    />
  );
}

const seenChoices = seenSpans.map(({ value, label }) => ({ value, label }));

/** What of the devices is shown. */
export const DeviceFilters = memo(function DeviceFilters({ list }: { readonly list: ListAddress }) {
  const { init } = useInit();
  const platforms = (init?.platforms ?? []).map(({ id, code }) => ({ value: id, label: code }));
  return (
    <FilterBar
      list={list}
      label={t.filtersOfDevices}
      search={{ label: t.searchDevicesByTitleUuid, placeholder: t.titleUuidOrMacAddress }}
    >
      <ChoiceFilter list={list} name="online" label={t.connection} choices={onlineChoices} />
      <ChoiceFilter list={list} name="seen" label={common.lastSeen} choices={seenChoices} />
      <ChoiceFilter list={list} name="standing" label={t.update} choices={standingChoices} />
      <TextFilter list={list} name="version" label={common.version} />
      <TextFilter list={list} name="label" label={common.label} />
      <ProductSelect
        hideLabel
        label={common.product}
        value={list.filters.product_id ?? null}
        onChange={(id) => list.setFilter('product_id', id ?? undefined)}
        width={{ base: '100%', sm: 180 }}
      />
      <ChoiceFilter list={list} name="platform_id" label={common.platform} choices={platforms} />
      <ChoiceFilter list={list} name="state" label={common.state} choices={stateChoices} />
      <ChoiceFilter list={list} name="tag" label={common.tag} choices={tagChoices} />
      {list.filters.filter !== undefined && <TextFilter list={list} name="filter" label={t.condition} />}
    </FilterBar>
  );
});
