// Which version is released next: the changelog says.
import { failure, type Result, success } from '@moorage/base';

interface Section {
  readonly title: string;
  readonly text: string;
}

const sectionsOf = (changelog: string): Section[] =>
  changelog
    .split(/^## /m)
    .slice(1)
    .map((text) => ({ title: text.split('\n', 1)[0] ?? '', text }));

/** The versions of a changelog, the newest first. */
const releasesOf = (sections: readonly Section[]): string[] =>
  sections
    .map(({ title }) => /^\[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/.exec(title)?.[1])
    .filter((found) => found !== undefined);

export interface NextVersion {
  readonly version: string;
  /** Entries wait for their version: it has to be given to them before anything is published. */
  readonly open: boolean;
}

/**
 * The version that a changelog asks for. Entries under "Unreleased" make the next one: a patch when all of them are fixes,
 * and otherwise a minor one, as before 1.0.0 for whatever changes. Without any release it is that of the packages.
 */
export function nextVersion(changelog: string, packages: string): Result<NextVersion, string> {
  const sections = sectionsOf(changelog);
  const unreleased = sections.find(({ title }) => title === '[Unreleased]');
  if (!unreleased) return failure('The changelog has no section "[Unreleased]"');
  const open = /^- /m.test(unreleased.text);
  const [last] = releasesOf(sections);
  if (last === undefined) return success({ version: packages, open });
  if (!open) return success({ version: last, open });
  const [major = 0, minor = 0, patch = 0] = last.split('.').map(Number);
  const isFix = [...unreleased.text.matchAll(/^### (.+)$/gm)].every(
    ([, kind]) => kind === 'Fixed' || kind === 'Security',
  );
  return success({ version: isFix ? `${major}.${minor}.${patch + 1}` : `${major}.${minor + 1}.0`, open });
}
