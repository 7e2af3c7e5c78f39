import { Button, Grid, Group, Stack, Text } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { Card } from '../../ui/card.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Field, Fields } from '../../ui/field.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { ActivateForm } from './activate-device.tsx';
import { updateResults } from './codes.ts';
import { EditForm } from './edit-device.tsx';
import { GatewayCard } from './gateway-card.tsx';
import { DangerCard, IdentityCard } from './identity-card.tsx';
import { AttributesCard, LabelsCard } from './labels-card.tsx';
import { LatestValues } from './latest-values.tsx';
import { formatDegrees } from './location.ts';
import { StandingText } from './standing.tsx';
import type { TabProps } from './tab-props.ts';
import { TagForm } from './tag-device.tsx';
import { UpdateCourse } from './update-now.tsx';
import { WhyVersion } from './why-version.tsx';

const placeOf = ({ location }: DeviceRecord): string | null =>
  location && [formatDegrees(location), location.city, location.country].filter(Boolean).join(', ');

function Record({ device }: TabProps) {
  const edit = () => openDialog({ title: t.editDevice }, (close) => <EditForm device={device} onDone={close} />);
  return (
    <Card
      title={common.device}
      actions={
        <Button size="xs" variant="default" onClick={edit}>
          {t.edit}
        </Button>
      }
    >
      <Stack gap="md">
        {device.description !== '' && (
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{device.description}</Text>
        )}
        <Fields>
          <Field label={t.uuid} value={device.uuid} mono />
          <Field label={common.id} value={device.id} mono />
          <Field label={t.wiFiAddress} value={device.mac} mono />
          <Field label={t.bluetoothAddress} value={device.bt_addr} mono />
          <Field label={common.platform}>
            <PageLink href={`/platforms/${device.platform_id}`}>{device.platform}</PageLink>
          </Field>
          <Field label={common.owner} value={device.user}>
            {device.user ?? t.nobodyItCanBeClaimed}
          </Field>
          <Field label={t.location} value={placeOf(device)} />
          <Field label={common.address} value={device.ip} mono />
          <Field label={common.lastSeen}>
            <Moment at={device.last_seen_at} />
          </Field>
          <Field label={t.provisioned}>
            <Moment at={device.created_at} />
          </Field>
          <Field label={t.claimed}>
            <Moment at={device.claimed_at} />
          </Field>
          <Field label={t.claimable}>{device.claimable ? t.yes : t.noItIsLocked}</Field>
        </Fields>
      </Stack>
    </Card>
  );
}

function Product({ device }: TabProps) {
  const tag = () => openDialog({ title: t.tagOfDevice }, (close) => <TagForm device={device} onDone={close} />);
  const activate = () =>
    openDialog({ title: t.activateToProduct, size: 'lg' }, (close) => <ActivateForm device={device} onDone={close} />);
  const failed = device.standing.state === 'failed' && device.ota_result !== null;
  const advice = failed ? updateResults[device.ota_result ?? 0]?.advice : undefined;
  return (
    <Card
      title={t.productAndVersion}
      actions={
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={tag}>
            {t.tag}
          </Button>
          <Button size="xs" variant="default" onClick={activate}>
            {t.activate2}
          </Button>
        </Group>
      }
    >
      <Stack gap="sm">
        <StandingText standing={device.standing} />
        {advice && <Text>{advice}</Text>}
        <Fields>
          <Field label={common.product} value={device.product}>
            <PageLink href={`/products/${device.product_id}`}>{device.product}</PageLink>
          </Field>
          <Field label={common.bundle} value={device.bundle_id}>
            {device.bundle_id ? <PageLink href={`/bundles/${device.bundle_id}`}>{device.bundle}</PageLink> : '—'}
          </Field>
          <Field label={t.follows}>{device.tag || t.release}</Field>
          <Field label={t.reportedVersion} value={device.bversion} mono />
          <Field label={t.activated}>
            <Moment at={device.activated_at} />
          </Field>
          <Field label={t.lastUpdate}>
            <Moment at={device.last_ota_at} />
          </Field>
        </Fields>
      </Stack>
    </Card>
  );
}

/** What the device is, and what can be done with it. */
export default function Overview({ device }: TabProps) {
  return (
    <Stack gap="md">
      <LatestValues device={device} />
      <Grid>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="md">
            <UpdateCourse device={device} />
            <GatewayCard device={device} />
            <Product device={device} />
            <WhyVersion device={device} />
            <Record device={device} />
            <AttributesCard device={device} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="md">
            <LabelsCard device={device} />
            <IdentityCard device={device} />
            <DangerCard device={device} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}
