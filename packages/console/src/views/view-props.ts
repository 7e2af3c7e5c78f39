/** What a view is given: the blanks of its path. */
export interface ViewProps {
  readonly params: Readonly<Record<string, string | undefined>>;
}
