import { type BundleRecord, bundleStates } from '@moorage/api';
import { plural } from '../../ui/format.ts';

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
    label: 'Publish',
    from: ['preview', 'archive'],
    says: ({ state }) =>
      state === 'preview'
        ? 'Its files are frozen: from then on they never change. No device gets the bundle before it is tagged.'
        : 'It can be tagged again, and devices may ask for it.',
  },
  {
    to: 'archive',
    label: 'Archive',
    from: ['published'],
    says: () => 'No device can ask for it any more. Those that run it keep it, and it can be published again.',
  },
  {
    to: 'trash',
    label: 'Delete',
    from: ['preview', 'archive'],
    destructive: true,
    says: ({ device_count, device_count_bundle_ok }) =>
      'The bundle is gone for good with all its files. ' +
      (device_count > 0
        ? `${plural(device_count, 'device')} had it offered last and ${plural(device_count_bundle_ok, 'device')} reported ` +
          'it installed; they keep running what they run.'
        : 'No device has it.'),
  },
];

/** Where a bundle can go from where it is. A tagged one stays until the tag is moved to another. */
export const movesOf = (bundle: Pick<BundleRecord, 'state' | 'tag'>): readonly BundleMove[] =>
  bundle.tag === null ? bundleMoves.filter(({ from }) => from.includes(bundle.state)) : [];

/** The move that brings a bundle into a column of the board, if there is one. */
export const moveInto = (bundle: Pick<BundleRecord, 'state' | 'tag'>, to: BoardColumn): BundleMove | undefined =>
  movesOf(bundle).find((move) => move.to === to);
