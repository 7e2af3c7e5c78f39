import { Box, Checkbox, Group, Pagination, Paper, Progress, Table, Text, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { memo, type ReactNode, useCallback, useRef } from 'react';
import { useInCard } from './card.tsx';
import { formatCount, plural } from './format.ts';
import { ErrorBox, Loading } from './states.tsx';
import type { ListAddress } from './use-list.ts';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** Field of the endpoint's `sort`; without it the column cannot be ordered by. */
  readonly sort?: string;
  readonly cell: (row: Row) => ReactNode;
  /** From which width on it is shown; always without it. */
  readonly from?: 'sm' | 'md' | 'lg';
}

/** Which rows are marked, for something that is done to all of them. */
export interface Selection<Row> {
  readonly ids: ReadonlySet<string>;
  readonly set: (ids: ReadonlySet<string>) => void;
  readonly nameOf: (row: Row) => string;
}

interface DataTableProps<Row> {
  /** What the rows are: "Devices". */
  readonly label: string;
  /** One of them: "device". */
  readonly noun: string;
  /** Several of them; the noun with an "s" without it. */
  readonly nouns?: string;
  readonly columns: readonly Column<Row>[];
  readonly query: UseQueryResult<{ readonly value: readonly Row[]; readonly total: number | undefined }, Error>;
  readonly list: ListAddress;
  readonly idOf: (row: Row) => string;
  readonly empty: ReactNode;
  readonly selection?: Selection<Row>;
  /** The service counts no further than this. */
  readonly countLimit?: number;
}

const sortIcon = (sort: string | undefined, field: string): ReactNode => {
  if (sort === field) return <IconArrowUp size={14} aria-hidden />;
  if (sort === `-${field}`) return <IconArrowDown size={14} aria-hidden />;
  return <IconArrowsSort size={14} aria-hidden opacity={0.4} />;
};

const ariaSort = (sort: string | undefined, field: string | undefined) => {
  if (field === undefined) return undefined;
  if (sort === field) return 'ascending';
  return sort === `-${field}` ? 'descending' : 'none';
};

function HeadCell<Row>({ column, list }: { readonly column: Column<Row>; readonly list: ListAddress }) {
  const { sort, title, from } = column;
  return (
    <Table.Th aria-sort={ariaSort(list.sort, sort)} {...(from && { visibleFrom: from })}>
      {sort === undefined ? (
        title
      ) : (
        <UnstyledButton fz="inherit" fw="inherit" style={{ whiteSpace: 'nowrap' }} onClick={() => list.sortBy(sort)}>
          <Group gap={4} wrap="nowrap">
            {title}
            {sortIcon(list.sort, sort)}
          </Group>
        </UnstyledButton>
      )}
    </Table.Th>
  );
}

/** Marks or unmarks these rows, and leaves the others of the selection as they are. */
function withRows(ids: ReadonlySet<string>, rows: readonly string[], marked: boolean): Set<string> {
  const next = new Set(ids);
  for (const id of rows) {
    if (marked) next.add(id);
    else next.delete(id);
  }
  return next;
}

interface RowProps<Row> {
  readonly row: Row;
  readonly id: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined where rows cannot be marked. */
  readonly marked: boolean | undefined;
  readonly name: string;
  readonly onMark: (id: string, marked: boolean) => void;
}

function PlainRow<Row>({ row, id, columns, marked, name, onMark }: RowProps<Row>) {
  return (
    <Table.Tr {...(marked && { bg: 'var(--mantine-color-default-hover)' })}>
      {marked !== undefined && (
        <Table.Td w={36}>
          <Checkbox
            aria-label={`Select ${name}`}
            checked={marked}
            onChange={(event) => onMark(id, event.currentTarget.checked)}
          />
        </Table.Td>
      )}
      {columns.map(({ key, cell, from }) => (
        <Table.Td key={key} {...(from && { visibleFrom: from })} style={{ overflowWrap: 'anywhere' }}>
          {cell(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

// Safe: it takes what it wraps takes; a mark on one row draws that one anew, not all of them.
const OneRow = memo(PlainRow) as typeof PlainRow;

interface RowsProps<Row> extends Pick<DataTableProps<Row>, 'columns' | 'idOf' | 'selection'> {
  readonly rows: readonly Row[];
}

function Rows<Row>({ rows, columns, idOf, selection }: RowsProps<Row>) {
  const latest = useRef(selection);
  latest.current = selection;
  const onMark = useCallback((id: string, marked: boolean) => {
    const { current } = latest;
    current?.set(withRows(current.ids, [id], marked));
  }, []);
  return rows.map((row) => {
    const id = idOf(row);
    const name = selection?.nameOf(row) ?? '';
    return (
      <OneRow
        key={id}
        id={id}
        row={row}
        columns={columns}
        marked={selection?.ids.has(id)}
        name={name}
        onMark={onMark}
      />
    );
  });
}

interface FootProps {
  readonly list: ListAddress;
  readonly total: number;
  readonly noun: string;
  readonly nouns: string;
  readonly countLimit?: number | undefined;
}

function Foot({ list, total, noun, nouns, countLimit }: FootProps) {
  const more = countLimit !== undefined && total >= countLimit;
  const last = Math.min(list.offset + list.limit, total);
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {total > list.limit && `${formatCount(list.offset + 1)}–${formatCount(last)} of `}
        {more ? `${formatCount(total)} ${nouns} or more` : plural(total, noun, nouns)}
      </Text>
      {total > list.limit && (
        <Pagination
          total={Math.ceil(total / list.limit)}
          value={list.page}
          onChange={list.setPage}
          size="sm"
          aria-label={`Pages of ${nouns}`}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(page) => ({ 'aria-label': `Page ${page}` })}
        />
      )}
    </Group>
  );
}

/** A list whose pages, order and filters are the service's work and stand in the address. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, query, list, idOf, empty, selection, noun, nouns = `${noun}s`, countLimit } = props;
  const { data, error } = query;
  const inCard = useInCard();
  if (data === undefined) return error ? <ErrorBox error={error} onRetry={() => void query.refetch()} /> : <Loading />;
  const total = data.total ?? data.value.length;
  const card = inCard ? {} : ({ withBorder: true, px: { base: 'xs', xs: 'md' }, py: 'xs' } as const);
  if (total === 0) return <Paper {...card}>{empty}</Paper>;
  const shown = data.value.map(idOf);
  const marked = selection ? shown.filter((id) => selection.ids.has(id)).length : 0;
  return (
    <Paper {...card}>
      <Box h={3} mb={4} aria-hidden>
        {query.isPlaceholderData && <Progress value={100} animated size={3} />}
      </Box>
      <Table.ScrollContainer minWidth={0} type="native">
        <Table verticalSpacing="xs" highlightOnHover aria-label={label} aria-busy={query.isPlaceholderData}>
          <Table.Thead>
            <Table.Tr>
              {selection && (
                <Table.Th w={36}>
                  <Checkbox
                    aria-label="Select all rows of this page"
                    checked={marked > 0 && marked === shown.length}
                    indeterminate={marked > 0 && marked < shown.length}
                    onChange={(event) => selection.set(withRows(selection.ids, shown, event.currentTarget.checked))}
                  />
                </Table.Th>
              )}
              {columns.map((column) => (
                <HeadCell key={column.key} column={column} list={list} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Rows rows={data.value} columns={columns} idOf={idOf} {...(selection && { selection })} />
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Foot list={list} total={total} noun={noun} nouns={nouns} countLimit={countLimit} />
    </Paper>
  );
}
