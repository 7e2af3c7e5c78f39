import { List } from '@mantine/core';
import { storeLimits } from '@moorage/api';
import { formatCount, plural } from '../texts/format.ts';
import { nouns } from '../texts/nouns.ts';
import { t } from '../texts/ui.ts';
import { confirm } from './confirm.tsx';

/** Files that one page of a list has at most. */
const pageLimit = 500;

/** The paths of all files of a store, from the pages of its list. */
export async function allPaths(
  page: (query: { limit: number; offset: number }) => Promise<{ readonly value: readonly { readonly path: string }[] }>,
): Promise<string[]> {
  const paths: string[] = [];
  for (let offset = 0; offset < storeLimits.files; offset += pageLimit) {
    const { value } = await page({ limit: pageLimit, offset });
    paths.push(...value.map(({ path }) => path));
    if (value.length < pageLimit) break;
  }
  return paths;
}

/** Paths that a question names; the others are only counted. */
const namedPaths = 10;

interface Replacing {
  /** The files that will be written over. */
  readonly paths: readonly string[];
  /** What that means, before their names are listed. */
  readonly says: string;
  readonly run: () => unknown;
}

/** Asks before files are written over; without one that would be, it does not ask. */
export function askReplace({ paths, says, run }: Replacing): void {
  if (paths.length === 0) return void run();
  confirm({
    title: t.replace(plural(paths.length, nouns.file)),
    body: (
      <>
        {says}
        <List size="sm" mt="xs">
          {paths.slice(0, namedPaths).map((path) => (
            <List.Item key={path} style={{ overflowWrap: 'anywhere' }}>
              {path}
            </List.Item>
          ))}
          {paths.length > namedPaths && <List.Item>{t.andMore(formatCount(paths.length - namedPaths))}</List.Item>}
        </List>
      </>
    ),
    action: t.replace2,
    destructive: true,
    run,
  });
}
