import { Button, Grid, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { DeviceRecord } from '@moorage/api';
import { Card } from '../../ui/card.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { ActivateDevice } from './activate-device.tsx';
import { resultText, updateResults } from './codes.ts';
import { EditDevice } from './edit-device.tsx';
import { DangerCard, IdentityCard } from './identity-card.tsx';
import { LatestValues } from './latest-values.tsx';
import { formatDegrees } from './location.ts';
import type { TabProps } from './tab-props.ts';
import { TagDevice } from './tag-device.tsx';

const placeOf = ({ location }: DeviceRecord): string | null =>
  location && [formatDegrees(location), location.city, location.country].filter(Boolean).join(', ');

function Record({ device }: TabProps) {
  const [edited, edit] = useDisclosure();
  return (
    <Card
      title="Device"
      actions={
        <Button size="xs" variant="default" onClick={edit.open}>
          Edit
        </Button>
      }
    >
      <Stack gap="md">
        {device.description !== '' && (
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{device.description}</Text>
        )}
        <Fields>
          <Field label="UUID" value={device.uuid} mono />
          <Field label="Id" value={device.id} mono />
          <Field label="Wi-Fi address" value={device.mac} mono />
          <Field label="Bluetooth address" value={device.bt_addr} mono />
          <Field label="Platform">
            <PageLink href={`/platforms/${device.platform_id}`}>{device.platform}</PageLink>
          </Field>
          <Field label="Owner" value={device.user}>
            {device.user ?? 'nobody: it can be claimed'}
          </Field>
          <Field label="Location" value={placeOf(device)} />
          <Field label="Address" value={device.ip} mono />
          <Field label="Last seen">
            <Moment at={device.last_seen_at} />
          </Field>
          <Field label="Provisioned">
            <Moment at={device.created_at} />
          </Field>
          <Field label="Claimed">
            <Moment at={device.claimed_at} />
          </Field>
          <Field label="Claimable">{device.claimable ? 'yes' : 'no: it is locked'}</Field>
        </Fields>
      </Stack>
      <EditDevice device={device} opened={edited} onClose={edit.close} />
    </Card>
  );
}

/** Whether the device runs what it was offered last. */
function standing({ bundle, bundle_ok, ota_result }: DeviceRecord): string {
  if (bundle === null) return 'It has been offered no bundle yet';
  if (bundle_ok) return `It runs version ${bundle}`;
  const failed = ota_result !== null && ota_result > 2;
  return failed ? `Version ${bundle} did not get there: ${resultText(ota_result)}` : `Version ${bundle} is on offer`;
}

function Product({ device }: TabProps) {
  const [tagged, tag] = useDisclosure();
  const [activated, activate] = useDisclosure();
  const advice = device.bundle_ok || device.ota_result === null ? undefined : updateResults[device.ota_result]?.advice;
  return (
    <Card
      title="Product and version"
      actions={
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={tag.open}>
            Tag …
          </Button>
          <Button size="xs" variant="default" onClick={activate.open}>
            Activate …
          </Button>
        </Group>
      }
    >
      <Stack gap="sm">
        <Text>
          {standing(device)}. {advice}
        </Text>
        <Fields>
          <Field label="Product" value={device.product}>
            <PageLink href={`/products/${device.product_id}`}>{device.product}</PageLink>
          </Field>
          <Field label="Bundle" value={device.bundle_id}>
            {device.bundle_id ? <PageLink href={`/bundles/${device.bundle_id}`}>{device.bundle}</PageLink> : '—'}
          </Field>
          <Field label="Follows">{device.tag || 'the release'}</Field>
          <Field label="Reported version" value={device.bversion} mono />
          <Field label="Activated">
            <Moment at={device.activated_at} />
          </Field>
          <Field label="Last update">
            <Moment at={device.last_ota_at} />
          </Field>
        </Fields>
      </Stack>
      <TagDevice device={device} opened={tagged} onClose={tag.close} />
      <ActivateDevice device={device} opened={activated} onClose={activate.close} />
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
            <Product device={device} />
            <Record device={device} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="md">
            <IdentityCard device={device} />
            <DangerCard device={device} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}
