import { useEffect, useRef } from 'react';
import { after } from '../browser/time.ts';

/** How long the second key of two may take, in ms. */
const secondKeyMs = 1_500;

/** Whether keys belong to what has the focus: a field, a terminal, a menu or a dialogue. */
const isTaken = (target: EventTarget | null): boolean =>
  document.querySelector('[role=dialog]') !== null ||
  (target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable], [role=menu], [role=listbox]') !== null);

/** Runs what stands in the table under a key or under two of them, one after the other: `/`, `g d`. */
export function useShortcuts(table: Readonly<Record<string, () => void>>): void {
  const latest = useRef(table);
  latest.current = table;
  useEffect(() => {
    let first: string | undefined;
    let forget = (): void => {};
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      forget();
      const keys = first === undefined ? event.key : `${first} ${event.key}`;
      const isFirst = first === undefined && Object.keys(latest.current).some((name) => name.startsWith(`${keys} `));
      first = isFirst ? keys : undefined;
      if (isFirst) {
        forget = after(secondKeyMs, () => {
          first = undefined;
        });
      }
      const run = latest.current[keys];
      if (!run) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', onKey);
    return () => {
      forget();
      window.removeEventListener('keydown', onKey);
    };
  }, []);
}
