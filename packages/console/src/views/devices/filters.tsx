import { healthStates, standingStates, tags } from '@moorage/api';
import { memo } from 'react';
import { useInit } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/devices.tsx';
import { stateName } from '../../texts/states.ts';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { ProductSelect } from '../../ui/product-select.tsx';
import { TextFilter } from '../../ui/text-filter.tsx';
import type { ListAddress } from '../../ui/use-list.ts';
import { healthWords, standingWords } from '../device/device-state.ts';
import { conditionFilters, seenSpans } from './device-filter.ts';

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
  'health',
  'claimable',
  'updated',
  'standing',
  ...conditionFilters,
] as const;

const healthChoices = healthStates.map((value) => ({ value, label: stateName(healthWords[value]) }));
const tagChoices = [{ value: '', label: t.noTag }, ...tags.map((value) => ({ value, label: value }))];
const standingChoices = standingStates.map((value) => ({ value, label: stateName(standingWords[value]) }));
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
      <ChoiceFilter list={list} name="health" label={common.state} choices={healthChoices} />
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
      <ChoiceFilter list={list} name="tag" label={common.tag} choices={tagChoices} />
      {list.filters.filter !== undefined && <TextFilter list={list} name="filter" label={t.condition} />}
    </FilterBar>
  );
});
