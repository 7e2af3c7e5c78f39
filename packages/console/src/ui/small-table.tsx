import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface SmallTableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** Its rows. */
  readonly children: ReactNode;
}

/** A table of few rows, all of them shown; where it is wider than the window it is scrolled, by the keyboard too. */
export const SmallTable = ({ label, columns, children }: SmallTableProps) => (
  <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
    <Table aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((title) => (
            <Table.Th key={title}>{title}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
