import { type BundleRecord, bundleStates } from '@moorage/api';
import { t } from '../../texts/bundles.ts';
import { common } from '../../texts/common.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';

/** Columns of the board. What is put into the last one is deleted, so nothing stays there. */
export const boardColumns = [...bundleStates, 'trash'] as const;
export type BoardColumn = (typeof boardColumns)[number];

export interface BundleMove {
  readonly to: Exclude<BoardColumn, 'preview'>;
  readonly label: string;
  readonly from: readonly BundleRecord['state'][];
  readonly destructive?: boolean;
  /** What it does, said before it is done. */
  readonly says: (bundle: BundleRecord) => string;
}

/** The state table of bundles (Reference: rules 2.3), as the board offers it. */
export const bundleMoves: readonly BundleMove[] = [
  {
    to: 'published',
    label: t.publish,
    from: ['preview', 'archive'],
    says: ({ state }) => (state === 'preview' ? t.itsFilesAreFrozenFrom : t.itCanBeTaggedAgain),
  },
  {
    to: 'archive',
    label: t.archive,
    from: ['published'],
    says: () => t.noDeviceCanAskFor,
  },
  {
    to: 'trash',
    label: common.delete,
    from: ['preview', 'archive'],
    destructive: true,
    says: ({ device_count, device_count_bundle_ok }) =>
      `${t.bundleIsGoneForGood} ` +
      (device_count > 0
        ? t.stillHaveIt(plural(device_count, nouns.device), plural(device_count_bundle_ok, nouns.device))
        : t.noDeviceHasIt),
  },
];

/** Where a bundle can go from where it is. A tagged one stays until the tag is moved to another. */
export const movesOf = (bundle: Pick<BundleRecord, 'state' | 'tag'>): readonly BundleMove[] =>
  bundle.tag === null ? bundleMoves.filter(({ from }) => from.includes(bundle.state)) : [];

/** The move that brings a bundle into a column of the board, if there is one. */
export const moveInto = (bundle: Pick<BundleRecord, 'state' | 'tag'>, to: BoardColumn): BundleMove | undefined =>
  movesOf(bundle).find((move) => move.to === to);
