import { Radio, Stack, Text } from '@mantine/core';
import { type DeviceRecord, tags } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/device.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { tagEffect } from './follow.ts';

/** Bundles that carry a tag are among the newest of a product: no more than this are looked through. */
const lookedThrough = 500;

interface TagProps {
  readonly device: DeviceRecord;
  readonly onDone: () => void;
}

/** Which bundles of its product a device follows. */
export function TagForm({ device, onDone }: TagProps) {
  const [tag, setTag] = useState(device.tag ?? '');
  const change = useChange('devices.setTag', 'devices');
  // A user who may see the device may not always see the product; the words are more general then.
  const bundles = useCall('bundles.list', {
    params: { product_id: device.product_id },
    query: { limit: lookedThrough, state: 'published' },
  });
  // Safe: the radio buttons are those of the contract.
  const chosen = tag as '' | (typeof tags)[number];
  const save = async (): Promise<void> => {
    await change.mutateAsync({ params: { device_id: device.id }, body: { tag: chosen } });
    notify(tag === '' ? t.followsRelease(device.title) : t.followsTitle(device.title, tag));
    onDone();
  };
  return (
    <Form submit={t.follow} onSubmit={save} disabled={tag === (device.tag ?? '')}>
      <Radio.Group label={t.deviceFollows} value={tag} onChange={setTag}>
        <Stack gap="xs" mt="xs">
          <Radio value="" label={t.noTagOfItsOwn} />
          {tags.map((one) => (
            <Radio key={one} value={one} label={one} />
          ))}
        </Stack>
      </Radio.Group>
      <Text size="sm" role="status">
        {tagEffect(tag, device, bundles.data?.value)}
      </Text>
    </Form>
  );
}
