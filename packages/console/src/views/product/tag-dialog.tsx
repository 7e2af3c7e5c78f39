import { Group, Radio, Stack } from '@mantine/core';
import { type BundleRecord, type ProductRecord, type Tag, tags } from '@moorage/api';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { t } from '../../texts/bundles.ts';
import { common } from '../../texts/common.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { ReachNote, useReach } from '../rollouts/reach.tsx';

/** Tag of a bundle; the empty text is none. */
type BundleTag = '' | Tag;

const choices: readonly { readonly value: BundleTag; readonly text: string }[] = [
  { value: 'alpha', text: t.devicesThatFollowAlpha },
  { value: 'beta', text: t.devicesThatFollowBeta },
  { value: 'release', text: t.allDevicesThatFollowNo },
];

const isTag = (value: string): value is Tag => tags.some((tag) => tag === value);

interface TagDialogProps {
  readonly bundle: BundleRecord;
  readonly product: Pick<ProductRecord, 'id' | 'product'>;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function TagForm({ bundle, product, onClose }: Omit<TagDialogProps, 'opened'>) {
  const setTag = useChange('bundles.setTag', 'bundles', 'products', 'devices', 'fleet');
  const [tag, choose] = useState<BundleTag>(bundle.tag ?? 'release');
  const changes = tag !== (bundle.tag ?? '');
  const change = tag === '' ? ({ change: 'untag' } as const) : ({ change: 'tag', tag } as const);
  const reach = useReach(product.id, { ...change, bundle_id: bundle.id }, changes);
  const submit = async (): Promise<void> => {
    await setTag.mutateAsync({ params: { bundle_id: bundle.id }, body: { tag } });
    notify(tag === '' ? t.bundleCarriesNoTag(bundle.version) : t.bundleCarriesTag(bundle.version, tag));
    onClose();
  };
  return (
    <Form
      submit={tag === '' ? t.takeTagOff : t.moveTagHere(tag)}
      onSubmit={submit}
      disabled={!changes || reach.data === undefined}
    >
      <Radio.Group
        label={common.tag}
        description={t.devicesGetBundleThatCarries}
        value={tag}
        onChange={(value) => choose(isTag(value) ? value : '')}
      >
        <Stack gap="xs" mt="xs">
          {choices.map(({ value, text }) => (
            <Radio
              key={value}
              value={value}
              label={
                <Group gap="xs">
                  <StateBadge state={value} /> {text}
                </Group>
              }
            />
          ))}
          {bundle.tag !== null && <Radio value="" label={common.noTag} />}
        </Stack>
      </Radio.Group>
      {changes ? <ReachNote reach={reach} /> : <Muted>{t.itCarriesThisTagAlready}</Muted>}
    </Form>
  );
}

/** Gives a bundle a tag, after saying how many devices that moves. */
export const TagDialog = ({ opened, ...props }: TagDialogProps) => (
  <Dialog title={t.tagOfBundle(props.bundle.version)} opened={opened} onClose={props.onClose}>
    <TagForm {...props} />
  </Dialog>
);
