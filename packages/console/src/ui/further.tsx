import { Button, Group, Text } from '@mantine/core';
import { useEffect } from 'react';
import { formatMoment } from '../texts/format.ts';
import { t } from '../texts/lists.ts';
import type { ListAddress } from './use-list.ts';

/** Where a list goes on behind its pages, as the service says in the header Link. */
export function cursorIn(headers: Headers | undefined): string | undefined {
  const next = /<[^>]*\?([^>]*)>; rel="next"/.exec(headers?.get('link') ?? '')?.[1];
  return new URLSearchParams(next).get('after') ?? undefined;
}

/** The moment of the row that a cursor stands behind, epoch ms. */
const momentIn = (cursor: string): number => Number(cursor.split('_', 1)[0]);

/**
 * Continues a search that has found nothing where it has looked. Says up to which moment it has looked.
 *
 * @param cursor where it goes on, once the answer is there; nothing before and at the end
 */
export function useSearchOn(list: ListAddress, cursor: string | undefined): string | undefined {
  const next = list.filters.q === undefined ? undefined : cursor;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it goes on once from each place
  useEffect(() => {
    if (next !== undefined) list.goBehind(next, true);
  }, [next]);
  const reached = next ?? list.filters.after;
  return reached === undefined ? undefined : t.notFoundBackTo(formatMoment(momentIn(reached)));
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
      {cursor !== undefined && list.filters.q !== undefined && (
        <Text size="sm" c="dimmed">
          {t.searchedBackTo(formatMoment(momentIn(cursor)))}
        </Text>
      )}
      {cursor !== undefined && (
        <Button variant="default" size="xs" onClick={() => list.goBehind(cursor)}>
          {list.filters.q === undefined ? t.goOn : t.searchOn}
        </Button>
      )}
    </Group>
  );
}
