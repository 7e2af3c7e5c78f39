import { ActionIcon, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { BundleRecord, ProductRecord } from '@moorage/api';
import { IconDots, IconTag } from '@tabler/icons-react';
import { call } from '../../api/client.ts';
import { outdate, renew } from '../../api/queries.ts';
import { t } from '../../texts/bundles.ts';
import { common } from '../../texts/common.ts';
import { confirm } from '../../ui/confirm.tsx';
import { notify } from '../../ui/notify.ts';
import { type BundleMove, movesOf } from './bundle-actions.ts';
import { TagDialog } from './tag-dialog.tsx';

/**
 * Asks whether a bundle shall move to another state, saying what that does, and moves it.
 *
 * @param leave leaves the page of the bundle, when that is where one is and the bundle is gone
 */
export const askMove = (bundle: BundleRecord, move: BundleMove, leave?: () => void): void =>
  confirm({
    title: t.ask(move.label, bundle.version),
    body: move.says(bundle),
    action: move.label,
    destructive: move.destructive ?? false,
    async run() {
      await call('bundles.setState', { params: { bundle_id: bundle.id }, body: { state: move.to } });
      notify(t.moved[move.to](bundle.version));
      if (move.to !== 'trash' || !leave) return renew('bundles', 'products');
      await outdate('bundles', 'products');
      return leave();
    },
  });

interface BundleMenuProps {
  readonly bundle: BundleRecord;
  readonly product: Pick<ProductRecord, 'id' | 'product'>;
}

/** What can be done with a bundle on the board. */
export function BundleMenu({ bundle, product }: BundleMenuProps) {
  const [tagging, tagDialog] = useDisclosure();
  const moves = movesOf(bundle);
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.actionsForBundle(bundle.version)}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {bundle.state === 'published' && (
            <Menu.Item leftSection={<IconTag size={16} aria-hidden />} onClick={tagDialog.open}>
              {bundle.tag === null ? common.tag : t.changeTag}
            </Menu.Item>
          )}
          {moves.map((move) => (
            <Menu.Item key={move.to} onClick={() => askMove(bundle, move)}>
              {move.label}
            </Menu.Item>
          ))}
          {bundle.tag !== null && <Menu.Label c="dimmed">{t.taggedBundleStaysPublishedTake}</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
      <TagDialog bundle={bundle} product={product} opened={tagging} onClose={tagDialog.close} />
    </>
  );
}
