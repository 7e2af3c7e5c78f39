import { Box, Group, Paper, Progress, Table, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, type Ref, useCallback, useDeferredValue, useMemo, useRef } from 'react';
import type { Noun } from '../texts/language.ts';
import { t } from '../texts/ui.ts';
import { useInCard } from './card.tsx';
import { cursorIn, Further, useSearchOn } from './further.tsx';
import { ErrorBox, Loading } from './states.tsx';
import { TableFoot } from './table-foot.tsx';
import type { ListAddress } from './use-list.ts';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** Field of the endpoint's `sort`; without it the column cannot be ordered by. */
  readonly sort?: string;
  readonly cell: (row: Row) => ReactNode;
  /** From which width on it is shown, unless the user has chosen; always without it, `chosen` only by choice. */
  readonly from?: Width | 'chosen';
  /** Takes the room that the others leave. */
  readonly fill?: boolean;
}

type Width = 'sm' | 'md' | 'lg';

/** Row of a table on a desk, in pixels, as the style sheet has it. */
const rowPx = 29;

/** Tables with more rows draw those alone that are in sight. */
const drawnRows = 100;

/** Rows that a new page begins with; the others come piece by piece, and the browser is not held up. */
const firstRows = 15;

/** Which rows are marked, for something that is done to all of them. */
export interface Selection<Row> {
  readonly ids: ReadonlySet<string>;
  readonly set: (ids: ReadonlySet<string>) => void;
  readonly nameOf: (row: Row) => string;
}

/** The rows of a page, of how many, and where they came from. */
interface Rows<Row> {
  readonly value: readonly Row[];
  readonly total: number | undefined;
  readonly address?: string;
  readonly headers?: Headers;
}

interface DataTableProps<Row> {
  /** What the rows are: "Devices". */
  readonly label: string;
  /** One of them: "device". */
  readonly noun: Noun;
  readonly columns: readonly Column<Row>[];
  readonly query: UseQueryResult<Rows<Row>, Error>;
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
  const { sort, title } = column;
  return (
    <Table.Th aria-sort={ariaSort(list.sort, sort)}>
      {sort === undefined ? (
        title
      ) : (
        <UnstyledButton fz="inherit" fw="inherit" onClick={() => list.sortBy(sort)}>
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
  /** Its number, where not all rows are drawn. */
  readonly index?: number | undefined;
  readonly measure?: Ref<HTMLTableRowElement> | undefined;
}

interface MarkProps {
  readonly label: string;
  readonly marked: boolean;
  /** Some are, and some are not. */
  readonly some?: boolean;
  readonly onMark: (marked: boolean) => void;
}

const Mark = ({ label, marked, some = false, onMark }: MarkProps) => (
  <input
    type="checkbox"
    className="mark"
    aria-label={label}
    checked={marked}
    ref={(input) => {
      if (input) input.indeterminate = some;
    }}
    onChange={(event) => onMark(event.currentTarget.checked)}
  />
);

// The elements of the library's table without its components, which cost more than all that stands in a row.
const { tr = '', td = '' } = Table.classes;

function PlainRow<Row>({ row, id, columns, marked, name, onMark, index, measure }: RowProps<Row>) {
  return (
    <tr
      className={tr}
      data-with-row-border
      data-hover
      {...(marked && { 'data-marked': true })}
      // The head is row 1.
      {...(index !== undefined && { 'aria-rowindex': index + 2, 'data-index': index })}
      {...(measure && { ref: measure })}
    >
      {marked !== undefined && (
        <td className={td}>
          <Mark label={t.select(name)} marked={marked} onMark={(next) => onMark(id, next)} />
        </td>
      )}
      {columns.map(({ key, cell, fill }) => (
        <td key={key} className={fill ? `${td} fill` : td}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

// Safe: it takes what it wraps takes; a mark on one row draws that one anew, not all of them.
const OneRow = memo(PlainRow) as typeof PlainRow;

interface BodyProps<Row> extends Pick<DataTableProps<Row>, 'columns' | 'idOf' | 'selection'> {
  readonly rows: readonly Row[];
  readonly scroller: { readonly current: HTMLDivElement | null };
}

/** The height of rows that are not drawn. */
const Gap = ({ height, columns }: { readonly height: number; readonly columns: number }) =>
  height > 0 && (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );

function Body<Row>({ rows, columns, idOf, selection, scroller }: BodyProps<Row>) {
  const latest = useRef(selection);
  latest.current = selection;
  const onMark = useCallback((id: string, marked: boolean) => {
    const { current } = latest;
    current?.set(withRows(current.ids, [id], marked));
  }, []);
  const isPart = rows.length > drawnRows;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 10,
    enabled: isPart,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  const drawn = isPart ? items.map(({ index }) => index) : rows.map((_, index) => index);
  const width = columns.length + (selection ? 1 : 0);
  return (
    <>
      <Gap height={isPart ? (first?.start ?? 0) : 0} columns={width} />
      {drawn.map((index) => {
        const row = rows[index];
        if (row === undefined) return null;
        const id = idOf(row);
        return (
          <OneRow
            key={id}
            id={id}
            row={row}
            columns={columns}
            marked={selection?.ids.has(id)}
            name={selection?.nameOf(row) ?? ''}
            onMark={onMark}
            index={isPart ? index : undefined}
            measure={isPart ? virtual.measureElement : undefined}
          />
        );
      })}
      <Gap height={isPart ? virtual.getTotalSize() - (last?.end ?? 0) : 0} columns={width} />
    </>
  );
}

/** The columns that are shown: those that the user has chosen, and of the others those that fit the window. */
function useShown<Row>(columns: readonly Column<Row>[], chosen: Readonly<Record<string, boolean>>) {
  const now = { getInitialValueInEffect: false };
  // The widths of the library's theme.
  const sm = useMediaQuery('(min-width: 48em)', true, now);
  const md = useMediaQuery('(min-width: 62em)', true, now);
  const lg = useMediaQuery('(min-width: 75em)', true, now);
  const fits = { sm, md, lg, chosen: false };
  const shown = columns.filter(({ key, from }) => chosen[key] ?? (from === undefined || fits[from]));
  const names = shown.map(({ key }) => key).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same columns stay the same list, so that rows stay as they are
  return useMemo(() => shown, [columns, names]);
}

/** A list whose pages, order and filters are the service's work and stand in the address. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, query, list, empty, noun, countLimit } = props;
  const { data, error } = query;
  const inCard = useInCard();
  const rest = useDeferredValue(data !== undefined, false);
  const cursor = cursorIn(data?.headers);
  const isNothing = data !== undefined && data.value.length === 0;
  const isSettled = isNothing && !query.isPlaceholderData && !query.isFetching;
  const searching = useSearchOn(list, isSettled ? cursor : undefined);
  if (data === undefined) return error ? <ErrorBox error={error} onRetry={() => void query.refetch()} /> : <Loading />;
  const total = data.total ?? data.value.length;
  const card = inCard ? {} : ({ withBorder: true, px: { base: 'xs', xs: 'md' }, py: 6 } as const);
  if (total === 0) {
    const isLooking = list.filters.q !== undefined && cursor !== undefined;
    return (
      <Paper {...card}>
        {isLooking ? <Loading {...(searching !== undefined && { label: searching })} /> : empty}
        <Further list={list} cursor={cursor} />
      </Paper>
    );
  }
  return (
    <Paper {...card}>
      <Box h={3} aria-hidden>
        {query.isPlaceholderData && <Progress value={100} animated size={3} />}
      </Box>
      <Filled {...props} rows={data.value} busy={query.isPlaceholderData} label={label}>
        {(columns) =>
          rest && (
            <TableFoot
              list={list}
              total={total}
              noun={noun}
              countLimit={countLimit}
              address={data.address}
              {...columns}
            />
          )
        }
      </Filled>
      <Further list={list} cursor={cursor} />
    </Paper>
  );
}

interface FilledProps<Row> extends Pick<DataTableProps<Row>, 'label' | 'columns' | 'list' | 'idOf' | 'selection'> {
  readonly rows: readonly Row[];
  readonly busy: boolean;
  readonly children: (columns: { choices: readonly Column<Row>[]; shown: ReadonlySet<string> }) => ReactNode;
}

function Filled<Row>({ label, columns, list, idOf, selection, rows, busy, children }: FilledProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useShown(columns, list.settings.columns);
  const drawn = useDeferredValue(rows, rows.slice(0, firstRows));
  const ids = rows.map(idOf);
  const marked = selection ? ids.filter((id) => selection.ids.has(id)).length : 0;
  return (
    <>
      <div ref={scroller} className={rows.length > drawnRows ? 'table-scroll part' : 'table-scroll'}>
        <Table
          className="dense"
          verticalSpacing={3}
          highlightOnHover
          aria-label={label}
          aria-busy={busy}
          {...(rows.length > drawnRows && { 'aria-rowcount': rows.length + 1 })}
        >
          <Table.Thead>
            <Table.Tr>
              {selection && (
                <Table.Th w={36}>
                  <Mark
                    label={t.selectAllRowsOfThis}
                    marked={marked > 0 && marked === ids.length}
                    some={marked > 0 && marked < ids.length}
                    onMark={(next) => selection.set(withRows(selection.ids, ids, next))}
                  />
                </Table.Th>
              )}
              {shown.map((column) => (
                <HeadCell key={column.key} column={column} list={list} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Body rows={drawn} columns={shown} idOf={idOf} scroller={scroller} {...(selection && { selection })} />
          </Table.Tbody>
        </Table>
      </div>
      {children({ choices: columns, shown: new Set(shown.map(({ key }) => key)) })}
    </>
  );
}
