import { Button, Group } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { common } from '../texts/common.ts';
import { t } from '../texts/ui.ts';
import { SearchBox } from './search-box.tsx';
import { useLater } from './use-later.ts';
import type { ListAddress } from './use-list.ts';

interface FilterBarProps {
  readonly list: ListAddress;
  /** "Filters of the devices". */
  readonly label: string;
  readonly search?: { readonly label: string; readonly placeholder: string };
  /** The filters beside the search, if there is one. */
  readonly children: ReactNode;
}

/** The search and the filters of a list; on a phone the filters stand behind one button. */
export function FilterBar({ list, label, search, children }: FilterBarProps) {
  const [opened, { toggle }] = useDisclosure();
  const narrow = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });
  const id = useId();
  const { q, after, ...others } = list.filters;
  const count = Object.keys(others).length;
  // Some have nine of them: they take longer than all the rest of a page.
  const later = useLater();
  const shown = later && (!narrow || opened);
  return (
    <Group gap="sm" role="search" aria-label={label}>
      {search && <SearchBox {...search} value={q} onChange={(value) => list.setFilter('q', value)} />}
      {narrow && (
        <Button
          variant="default"
          leftSection={<IconFilter size={16} aria-hidden />}
          aria-expanded={opened}
          aria-controls={id}
          onClick={toggle}
        >
          {count === 0 ? t.filters : t.filtersCount(count)}
        </Button>
      )}
      {/* On a desk they stand in one row with the search. */}
      <Group id={id} gap="sm" display={narrow ? (opened ? 'flex' : 'none') : 'contents'}>
        {shown && children}
      </Group>
      {Object.keys(list.filters).length > 0 && (
        <Button variant="subtle" onClick={list.clear}>
          {common.clearFilters}
        </Button>
      )}
    </Group>
  );
}
