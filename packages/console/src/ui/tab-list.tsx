import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

interface TabListProps {
  /** What the tabs are parts of. */
  readonly label: string;
  /** The tab that is open. */
  readonly shown: string;
  readonly children: ReactNode;
}

/** The tabs of a page: one row, which is pushed sideways where there is no room for all of them. */
export function TabList({ label, shown, children }: TabListProps) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another tab open another one has to be seen
  useEffect(() => {
    const row = list.current;
    const tab = row?.querySelector<HTMLElement>('[aria-selected=true]');
    if (!row || !tab) return;
    // Its neighbours peep out, so that one sees that there are more.
    row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  }, [shown]);
  return (
    <Tabs.List ref={list} className="tab-row" aria-label={label}>
      {children}
    </Tabs.List>
  );
}
