import { Button, Group } from '@mantine/core';
import { t } from '../texts/lists.ts';
import type { ListAddress } from './use-list.ts';

/** Where a list goes on behind its pages, as the service says in the header Link. */
export function cursorIn(headers: Headers | undefined): string | undefined {
  const next = /<[^>]*\?([^>]*)>; rel="next"/.exec(headers?.get('link') ?? '')?.[1];
  return new URLSearchParams(next).get('after') ?? undefined;
}

interface FurtherProps {
  readonly list: ListAddress;
  readonly cursor: string | undefined;
}

/** The ways to what pages by number do not reach, and back to the first page. */
export function Further({ list, cursor }: FurtherProps) {
  const isBehind = list.filters.after !== undefined;
  if (cursor === undefined && !isBehind) return null;
  return (
    <Group gap="xs" justify="center" mt="xs">
      {isBehind && (
        <Button variant="subtle" size="xs" onClick={() => list.setFilter('after', undefined)}>
          {t.toTheFirstPage}
        </Button>
      )}
      {cursor !== undefined && (
        <Button variant="default" size="xs" onClick={() => list.goBehind(cursor)}>
          {list.filters.q === undefined ? t.goOn : t.searchOn}
        </Button>
      )}
    </Group>
  );
}
