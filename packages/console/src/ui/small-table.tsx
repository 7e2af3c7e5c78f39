import { ScrollArea, Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface SmallColumn {
  readonly title: string;
  /** From which width on it is shown; the cells of it have `visibleFrom`. */
  readonly from?: 'sm' | 'md';
  /** Its title stands at the end. */
  readonly end?: true;
}

interface SmallTableProps {
  readonly label: string;
  readonly columns: readonly (string | SmallColumn)[];
  /** Its columns have room on a phone. */
  readonly fits?: boolean;
  /** Where it begins to be scrolled, in pixels. */
  readonly maxHeight?: number;
  readonly verticalSpacing?: 'xs' | number;
  /** Its rows. */
  readonly children: ReactNode;
}

const wide = { minWidth: 480, scrollAreaProps: { viewportProps: { tabIndex: 0 } } } as const;
const fitting = { minWidth: 0, type: 'native' } as const;

/** A table of few rows, all of them shown; where it is wider than the window it is scrolled, by the keyboard too. */
export function SmallTable({ label, columns, fits = false, maxHeight, children, ...spacing }: SmallTableProps) {
  const table = (
    <Table aria-label={label} {...spacing}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => {
            const { title, from, end }: SmallColumn = typeof column === 'string' ? { title: column } : column;
            return (
              <Table.Th key={title} {...(from && { visibleFrom: from })} {...(end && { ta: 'end' })}>
                {title}
              </Table.Th>
            );
          })}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
  if (maxHeight === undefined) {
    return <Table.ScrollContainer {...(fits ? fitting : wide)}>{table}</Table.ScrollContainer>;
  }
  return (
    <ScrollArea.Autosize mah={maxHeight} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': label }}>
      {table}
    </ScrollArea.Autosize>
  );
}
