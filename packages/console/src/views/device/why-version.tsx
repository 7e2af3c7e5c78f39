import { Button, Group, Select, Stack, Text } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { sayReason } from '../../texts/reasons.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Field, Fields } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notify.ts';
import { Loaded } from '../../ui/states.tsx';
import { HoldFields, useHold } from '../rollouts/hold-fields.tsx';

/** As many bundles as one page of the service may have. */
const listed = 500;

interface PinProps {
  readonly device: DeviceRecord;
  readonly onDone: () => void;
}

function PinForm({ device, onDone }: PinProps) {
  const [bundle, setBundle] = useState<string | null>(device.bundle_id);
  const hold = useHold();
  const pin = useChange('rollouts.pin', 'rollouts', 'devices');
  const bundles = useCall('bundles.list', {
    params: { product_id: device.product_id },
    query: { state: 'published', limit: listed },
  });
  const save = async (): Promise<void> => {
    if (bundle === null) return;
    const body = { bundle_id: bundle, ...hold.body };
    const held = await pin.mutateAsync({ params: { device_id: device.id }, body });
    notify(t.isHeldAtVersion(device.title, held.bundle));
    onDone();
  };
  return (
    <Form submit={t.pin} onSubmit={save} disabled={bundle === null || !hold.isReasoned}>
      <Text size="sm">{t.noRolloutAndNoTag}</Text>
      <Select
        label={common.version}
        data={(bundles.data?.value ?? []).map(({ id, version, tag }) => ({
          value: id,
          label: tag === null ? version : `${version} (${tag})`,
        }))}
        nothingFoundMessage={t.productHasNoPublishedBundle}
        searchable
        value={bundle}
        onChange={setBundle}
        data-autofocus
      />
      <HoldFields hold={hold} endless={t.withoutOneUntilItIs} />
    </Form>
  );
}

/** The pin that decides; the service says so before this is asked for. */
function PinFields({ device }: { readonly device: DeviceRecord }) {
  const pin = useCall('rollouts.pinned', { params: { device_id: device.id } });
  return (
    <Loaded query={pin}>
      {({ value: { bundle, reason, until } }) => (
        <Fields>
          <Field label={t.pinnedTo}>{bundle}</Field>
          <Field label={common.why}>{reason}</Field>
          <Field label={common.until}>{until === null ? t.itIsLetGo : <Moment at={until} />}</Field>
        </Fields>
      )}
    </Loaded>
  );
}

/** Which version the device gets, and why; its pin. */
export function WhyVersion({ device }: { readonly device: DeviceRecord }) {
  const unpin = useChange('rollouts.unpin', 'rollouts', 'devices');
  const selection = useCall('rollouts.selection', { params: { device_id: device.id } });
  const isPinned = selection.data?.value.by === 'pin';
  const pin = () =>
    openDialog({ title: t.pinTitle(device.title) }, (close) => <PinForm device={device} onDone={close} />);
  const letGo = (): void =>
    confirm({
      title: t.letGo(device.title),
      body: t.itGetsWhatRolloutsAnd,
      action: t.letItGo,
      run: () => unpin.mutateAsync({ params: { device_id: device.id } }),
      done: t.isNotPinnedAnyMore(device.title),
    });
  return (
    <Card
      title={t.whyThisVersion}
      actions={
        <Group gap="xs">
          {isPinned && (
            <Button size="xs" variant="default" loading={unpin.isPending} onClick={letGo}>
              {t.letItGo2}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={pin}>
            {isPinned ? t.pinElsewhere : t.pin2}
          </Button>
        </Group>
      }
    >
      <Loaded query={selection}>
        {({ value: { reason, bundle, bundle_id, rollout_id, waits } }) => (
          <Stack gap="sm">
            <Text role="status">
              {sayReason(reason)}
              {reason.endsWith('.') ? '' : '.'}
            </Text>
            {waits && (
              <Text size="sm">
                {t.waitsFor(waits.reason)}
                {waits.until !== null && (
                  <>
                    , <Moment at={waits.until} />
                  </>
                )}
              </Text>
            )}
            <Group gap="md">
              {bundle_id !== null && <PageLink href={`/bundles/${bundle_id}`}>{t.versionOf(bundle ?? '')}</PageLink>}
              {(rollout_id ?? waits?.rollout_id) != null && (
                <PageLink href={`/rollouts/${rollout_id ?? waits?.rollout_id}`}>{t.rollout}</PageLink>
              )}
            </Group>
            {isPinned && <PinFields device={device} />}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}
