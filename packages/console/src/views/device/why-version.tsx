import { Button, Group, Select, Stack, Text } from '@mantine/core';
import type { DeviceRecord, SelectionRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
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
import { Reaching, ReachNote, useReach } from '../rollouts/reach.tsx';

/** As many bundles as one page of the service may have. */
const listed = 500;

interface PinProps {
  readonly device: DeviceRecord;
  readonly onDone: () => void;
}

function PinForm({ device, onDone }: PinProps) {
  const [bundle, setBundle] = useState<string | null>(device.bundle_id);
  const isCounted = useSeesFleet(device);
  const reach = useReach(
    device.product_id,
    { change: 'pin', device_id: device.id, ...(bundle !== null && { bundle_id: bundle }) },
    isCounted && bundle !== null,
  );
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
      {isCounted && bundle !== null && <ReachNote reach={reach} />}
    </Form>
  );
}

/** What a product's fleet is asked about is for those who may see all of it. */
const useSeesFleet = ({ role }: DeviceRecord): boolean => useIsAdmin() || role === 'vendor';

/** The pin of a device, also where a freeze decides for now. */
const PinFields = ({ pin: { bundle, reason, until } }: { readonly pin: NonNullable<SelectionRecord['pin']> }) => (
  <Fields>
    <Field label={t.pinnedTo}>{bundle}</Field>
    <Field label={common.why}>{reason}</Field>
    <Field label={common.until}>{until === null ? t.itIsLetGo : <Moment at={until} />}</Field>
  </Fields>
);

/** Which version the device gets, and why; its pin. */
export function WhyVersion({ device }: { readonly device: DeviceRecord }) {
  const unpin = useChange('rollouts.unpin', 'rollouts', 'devices');
  const selection = useCall('rollouts.selection', { params: { device_id: device.id } });
  const isPinned = (selection.data?.value.pin ?? null) !== null;
  const isCounted = useSeesFleet(device);
  const pin = () =>
    openDialog({ title: t.pinTitle(device.title) }, (close) => <PinForm device={device} onDone={close} />);
  const letGo = (): void =>
    confirm({
      title: t.letGo(device.title),
      body: (
        <Stack gap="sm">
          {t.itGetsWhatRolloutsAnd}
          {isCounted && <Reaching productId={device.product_id} body={{ change: 'unpin', device_id: device.id }} />}
        </Stack>
      ),
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
        {({ value: { reason, bundle, bundle_id, rollout_id, waits, pin: held } }) => (
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
            {held && <PinFields pin={held} />}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}
