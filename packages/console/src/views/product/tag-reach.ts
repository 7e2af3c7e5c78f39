import type { BundleRecord, Reach, Tag } from '@moorage/api';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { t } from '../../texts/tag-reach.ts';

/** Tag of a bundle; the empty text is none. */
export type BundleTag = '' | Tag;

/** What giving a bundle a tag would do, as the service counts it. Asked anew each time: others move, too. */
export const useTagReach = (productId: string, bundle: BundleRecord, tag: BundleTag, enabled: boolean) =>
  useQuery({
    queryKey: ['devices', 'reach', productId, bundle.id, tag],
    async queryFn({ signal }) {
      const change = tag === '' ? ({ change: 'untag' } as const) : ({ change: 'tag', tag } as const);
      const input = { params: { product_id: productId }, body: { ...change, bundle_id: bundle.id } };
      return (await call('rollouts.reach', input, signal)).value;
    },
    enabled,
    staleTime: 0,
    gcTime: 0,
  });

/** What a reach says, in sentences: the sum of it first. */
export function reachTexts({ moves, there, out, unseen, flash }: Reach): readonly string[] {
  const moved = moves.reduce((sum, { devices }) => sum + devices, 0);
  return [
    moved === 0 ? t.movesNone : t.moves(moved),
    ...moves.map(t.path),
    ...(there > 0 ? [t.there(there)] : []),
    ...Object.entries(out).map(([why, devices]) => t.out({ why, devices })),
    ...(unseen > 0 ? [t.unseen(unseen)] : []),
    ...(flash > 0 ? [t.flash(flash)] : []),
  ];
}
