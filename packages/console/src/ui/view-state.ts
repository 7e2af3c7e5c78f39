/** What a saved view keeps of a list. */
export interface ViewState {
  /** The query of its address: filters and order. */
  readonly search: string;
  /** Columns that are shown or hidden whatever the width of the window, by their keys. */
  readonly columns: Readonly<Record<string, boolean>>;
}

/** The text that the service keeps. */
export const writeView = ({ search, columns }: ViewState): string => JSON.stringify({ search, columns });

/** Reads what the service has kept; what another version has written there does no harm. */
export function readView(text: string): ViewState {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return { search: '', columns: {} };
    const search = 'search' in value && typeof value.search === 'string' ? value.search : '';
    const columns = 'columns' in value && typeof value.columns === 'object' ? Object.entries(value.columns ?? {}) : [];
    const chosen = columns.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean');
    return { search, columns: Object.fromEntries(chosen) };
  } catch {
    return { search: '', columns: {} };
  }
}
