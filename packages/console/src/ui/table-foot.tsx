import { Button, Checkbox, Group, Pagination, Popover, Select, Stack, Text } from '@mantine/core';
import { IconColumns } from '@tabler/icons-react';
import { formatCount, plural } from '../texts/format.ts';
import type { Noun } from '../texts/language.ts';
import { t } from '../texts/ui.ts';
import { ExportMenu } from './export-menu.tsx';
import { pageSizes } from './table-settings.ts';
import type { ListAddress } from './use-list.ts';

/** A column that may be chosen. */
interface Choice {
  readonly key: string;
  readonly title: string;
}

interface ColumnsProps {
  readonly choices: readonly Choice[];
  readonly shown: ReadonlySet<string>;
  readonly list: ListAddress;
}

/** Which columns are shown; what is chosen stays so in this browser. */
function Columns({ choices, shown, list: { settings } }: ColumnsProps) {
  return (
    <Popover position="top-end" withinPortal trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<IconColumns size={14} aria-hidden />}>
          {t.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.columnsOfTable}>
        <Stack gap="xs">
          {choices.map(({ key, title }) => (
            <Checkbox
              key={key}
              label={title}
              checked={shown.has(key)}
              onChange={(event) => settings.choose(key, event.currentTarget.checked)}
            />
          ))}
          <Button variant="subtle" size="xs" onClick={settings.reset}>
            {t.whatFitsWindow}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface FootProps extends ColumnsProps {
  readonly total: number;
  readonly noun: Noun;
  /** The service counts no further than this. */
  readonly countLimit?: number | undefined;
  /** Of the page of the list, at the service. */
  readonly address: string | undefined;
}

/** Below a table: which rows it shows of how many, the rows of a page, its columns, its pages. */
export function TableFoot({ list, total, noun, countLimit, address, ...columns }: FootProps) {
  const more = countLimit !== undefined && total >= countLimit;
  const last = Math.min(list.offset + list.limit, total);
  return (
    <Group justify="space-between" mt="xs" gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {total > list.limit && t.rowsOf(formatCount(list.offset + 1), formatCount(last))}
        {more ? t.orMore(formatCount(total), noun.other) : plural(total, noun)}
      </Text>
      <Group gap="xs">
        {address !== undefined && <ExportMenu address={address} />}
        {columns.choices.length > 2 && <Columns {...columns} list={list} />}
        {total > pageSizes[0] && (
          <Select
            size="xs"
            w={120}
            aria-label={t.rowsOfPage}
            allowDeselect={false}
            data={pageSizes.map((size) => ({ value: String(size), label: t.rows(size) }))}
            value={String(list.limit)}
            onChange={(value) => value !== null && list.setRows(Number(value))}
          />
        )}
        {total > list.limit && (
          <Pagination
            total={Math.ceil(total / list.limit)}
            value={list.page}
            onChange={list.setPage}
            size="sm"
            aria-label={t.pagesOf(noun.other)}
            getControlProps={(control) => ({ 'aria-label': t.controls[control] })}
            getItemProps={(page) => ({ 'aria-label': t.page(page) })}
          />
        )}
      </Group>
    </Group>
  );
}
