import { Anchor, Box, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { t } from '../texts/ui.ts';

export interface Crumb {
  readonly title: string;
  readonly href: string;
}

interface PageProps {
  readonly title: string;
  /** Beside the title: a state, a tag. */
  readonly mark?: ReactNode;
  readonly description?: ReactNode;
  /** The pages above this one. */
  readonly crumbs?: readonly Crumb[];
  /** Buttons for what can be done here. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Whether this window has shown a page of the console already. */
let hasShownPage = false;

/** The frame of every page: where it is, what it is called, what can be done, and the thing itself. */
export function Page({ title, mark, description, crumbs = [], actions, children }: PageProps) {
  useDocumentTitle(`${title} · Moorage`);
  const heading = useRef<HTMLHeadingElement>(null);
  // Users of a keyboard or a screen reader who follow a link begin at the page's title; the first page begins at the
  // top, with the link that skips the navigation.
  useEffect(() => {
    const isFirst = !hasShownPage;
    hasShownPage = true;
    if (!isFirst && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Stack gap="lg">
      <Box>
        {crumbs.length > 0 && (
          <Breadcrumbs component="nav" aria-label={t.pagesAboveThisOne} mb={4} separatorMargin={6}>
            {crumbs.map((crumb) => (
              <Anchor key={crumb.href} component={Link} href={crumb.href} size="sm">
                {crumb.title}
              </Anchor>
            ))}
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Group gap="sm" miw={0}>
            <Title
              order={1}
              size="h2"
              tabIndex={-1}
              ref={heading}
              style={{ outline: 'none', overflowWrap: 'anywhere' }}
            >
              {title}
            </Title>
            {mark}
          </Group>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {description !== undefined && (
          <Text c="dimmed" size="sm" mt={4} component="div">
            {description}
          </Text>
        )}
      </Box>
      {children}
    </Stack>
  );
}
