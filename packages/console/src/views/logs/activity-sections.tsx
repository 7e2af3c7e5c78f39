import { useIsAdmin } from '../../api/session.tsx';
import { t } from '../../texts/shell.ts';
import { SectionLinks } from '../../ui/section-links.tsx';

const sections = [
  { href: '/logs', title: t.whatHappened },
  { href: '/administration/audit', title: t.whoChangedWhat },
] as const;

/** What happened, or who changed what: the second is for administrators. */
export const ActivitySections = ({ shown }: { readonly shown: (typeof sections)[number]['href'] }) =>
  useIsAdmin() && <SectionLinks sections={sections} shown={shown} />;
