import { Box, Tabs } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';
import { type ComponentType, type LazyExoticComponent, type ReactNode, Suspense } from 'react';
import { useLocation } from 'wouter';
import { ErrorBoundary } from './error-boundary.tsx';
import { SectionLinks } from './section-links.tsx';
import { Loading } from './states.tsx';
import { TabList } from './tab-list.tsx';

/** A tab of a page, which has the sections that name it. */
export interface TabGroup<G extends string = string> {
  readonly key: G;
  readonly title: string;
  readonly icon: TablerIcon;
}

/** A section of a page, with its address. */
export interface PageSection<Props, G extends string = string> {
  /** Last part of the address; the first section has none. */
  readonly key: string;
  /** The tab that it is in. */
  readonly group: G;
  readonly title: string;
  readonly view: LazyExoticComponent<ComponentType<Props>>;
}

/** The section under an address: one of that name, or the first of the tab of that name. */
export const sectionAt = <S extends { readonly key: string; readonly group: string }>(
  offered: readonly S[],
  name: string,
): S | undefined => offered.find(({ key }) => key === name) ?? offered.find(({ group }) => group === name);

interface PageTabsProps<Props> {
  /** What the tabs are parts of. */
  readonly label: string;
  readonly groups: readonly TabGroup[];
  /** What this user is offered. */
  readonly offered: readonly PageSection<Props>[];
  /** The section that is open. */
  readonly shown: PageSection<Props>;
  /** The address of the first section. */
  readonly base: string;
  readonly children: (View: PageSection<Props>['view']) => ReactNode;
}

/** The tabs of a page that is about one thing, few enough to be seen at once; a tab with several sections has a line of them. */
export function PageTabs<Props>({ label, groups, offered, shown: section, base, children }: PageTabsProps<Props>) {
  const [, navigate] = useLocation();
  const hrefOf = ({ key }: PageSection<Props>): string => (key === offered[0]?.key ? base : `${base}/${key}`);
  const within = (group: string) => offered.filter((one) => one.group === group);
  const sections = within(section.group);
  return (
    // Tabs are opened by Enter, not by walking over them: each asks the service for something.
    <Tabs
      value={section.group}
      onChange={(group) => {
        const first = group === null ? undefined : within(group)[0];
        if (first) navigate(hrefOf(first));
      }}
      keepMounted={false}
      activateTabWithKeyboard={false}
    >
      <TabList label={label} shown={section.group}>
        {groups
          .filter(({ key }) => within(key).length > 0)
          .map(({ key, title, icon: Icon }) => (
            <Tabs.Tab key={key} value={key} px="sm" leftSection={<Icon size={16} aria-hidden />}>
              {title}
            </Tabs.Tab>
          ))}
      </TabList>
      <Tabs.Panel key={section.key} value={section.group} pt="md">
        {sections.length > 1 && (
          <Box mb="md">
            <SectionLinks
              sections={sections.map((one) => ({ href: hrefOf(one), title: one.title }))}
              shown={hrefOf(section)}
            />
          </Box>
        )}
        <ErrorBoundary key={section.key}>
          <Suspense fallback={<Loading />}>{children(section.view)}</Suspense>
        </ErrorBoundary>
      </Tabs.Panel>
    </Tabs>
  );
}
