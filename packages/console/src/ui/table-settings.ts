import { useLocalStorage } from '@mantine/hooks';
import { useMemo } from 'react';

/** Rows of a page that a list may have; the service gives no more than the last. */
export const pageSizes = [25, 50, 100, 200, 500] as const;

const defaultRows = 50;

/** What the user has chosen for one table; this browser keeps it. */
interface Kept {
  readonly rows: number;
  /** Columns that are shown or hidden whatever the width of the window, by their keys. */
  readonly columns: Readonly<Record<string, boolean>>;
}

const nothingKept: Kept = { rows: defaultRows, columns: {} };

/** Reads what a browser has kept; what another version or a person has written there does no harm. */
export function readKept(text: string | undefined): Kept {
  if (text === undefined) return nothingKept;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return nothingKept;
    const rows = 'rows' in value ? pageSizes.find((size) => size === value.rows) : undefined;
    const columns = 'columns' in value && typeof value.columns === 'object' ? Object.entries(value.columns ?? {}) : [];
    const chosen = columns.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean');
    return { rows: rows ?? defaultRows, columns: Object.fromEntries(chosen) };
  } catch {
    return nothingKept;
  }
}

export interface TableSettings extends Kept {
  setRows(rows: number): void;
  /** Shows or hides a column. */
  choose(column: string, shown: boolean): void;
  /** Takes over the choices of a saved view. */
  setColumns(columns: Kept['columns']): void;
  /** Back to what fits the window. */
  reset(): void;
}

/**
 * Names of the tables, under which browsers keep their settings. They stay as they are: neither another language nor
 * another wording of the label loses what the user has chosen.
 */
export type TableName =
  | 'Accounts'
  | 'Activation tokens'
  | 'Alert rules'
  | 'Alerts'
  | 'Assets'
  | 'Audit'
  | 'Connectors'
  | 'Customers'
  | 'Devices'
  | 'Devices of the product'
  | 'Devices of the rollout'
  | 'Files of the device'
  | 'Keys accepted beforehand'
  | 'Keys for status broadcasts'
  | 'Log of the device'
  | 'Logs'
  | 'Platforms'
  | 'Products'
  | 'Rollouts'
  | 'Tokens'
  | 'Tokens of the product'
  | 'Updates of the device'
  | 'Users of the product'
  | 'Waiting to be let in';

/** The settings of the table with this name. */
export function useTableSettings(name: TableName): TableSettings {
  const [kept, setKept] = useLocalStorage<Kept>({
    key: `moorage.table.${name}`,
    defaultValue: nothingKept,
    // From the first drawing on: a list is asked for once, with its page size.
    getInitialValueInEffect: false,
    deserialize: readKept,
  });
  return useMemo(
    () => ({
      ...kept,
      setRows: (rows) => setKept({ ...kept, rows }),
      choose: (column, shown) => setKept({ ...kept, columns: { ...kept.columns, [column]: shown } }),
      setColumns: (columns) => setKept({ ...kept, columns }),
      reset: () => setKept({ ...kept, columns: {} }),
    }),
    [kept, setKept],
  );
}
