import { Group } from '@mantine/core';
import { Link } from 'wouter';
import { t } from '../texts/ui.ts';

interface SectionLinksProps {
  readonly sections: readonly { readonly href: string; readonly title: string }[];
  /** The address of the one that is shown. */
  readonly shown: string;
}

/** The sections of a page or tab, each with its address. */
export const SectionLinks = ({ sections, shown }: SectionLinksProps) => (
  <Group component="nav" gap={4} aria-label={t.sections}>
    {sections.map(({ href, title }) => (
      <Link
        key={href}
        href={href}
        className="section-link"
        {...(href === shown && { 'aria-current': 'page' as const })}
      >
        {title}
      </Link>
    ))}
  </Group>
);
