import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { IconArrowBigUpLine, IconCheck, IconCircle, IconCircleDashed, IconX } from '@tabler/icons-react';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/device.ts';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { ErrorBox } from '../../ui/states.tsx';
import { usePercent } from './percent.ts';
import { type CourseStep, courseOf } from './update-course.ts';

/** Has the device look for its update at once. */
export function UpdateNow({ device }: { readonly device: DeviceRecord }) {
  const change = useChange('devices.askUpdate', 'devices');
  const ask = async (): Promise<void> => {
    const { online } = await change.mutateAsync({ params: { device_id: device.id } });
    notify(online ? t.isAskedToLookFor(device.title) : t.isNotOnMessageChannel(device.title));
  };
  return (
    <Button
      variant="default"
      leftSection={<IconArrowBigUpLine size={16} aria-hidden />}
      loading={change.isPending}
      disabled={device.state === 'disabled'}
      onClick={() => void ask().catch(notifyError)}
    >
      {t.updateNow}
    </Button>
  );
}

const icons = { done: IconCheck, now: IconCircle, next: IconCircleDashed, failed: IconX } as const;
const words = { done: 'over', now: t.underWay, next: t.stillToCome, failed: 'failed' } as const;
const colours = { done: 'teal', now: 'blue', next: 'dimmed', failed: 'red' } as const;

function Step({
  step: { label, state, at, detail },
  percent,
}: {
  readonly step: CourseStep;
  readonly percent?: number;
}) {
  const Icon = icons[state];
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="flex-start" aria-label={`${label}: ${words[state]}`}>
      <Text c={colours[state]} component="span" display="flex" pt={2}>
        <Icon size={16} aria-hidden />
      </Text>
      <Stack gap={2} miw={0} style={{ flex: 1 }}>
        <Text size="sm" {...(state === 'next' && { c: 'dimmed' })} {...(state === 'now' && { fw: 600 })}>
          {label}
          {at !== null && (
            <>
              {' '}
              <Moment at={at} />
            </>
          )}
        </Text>
        {detail && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {detail}
          </Text>
        )}
        {state === 'now' && percent !== undefined && (
          <Progress value={percent} aria-label={t.shareOfUpdateThatDevice} />
        )}
      </Stack>
    </Group>
  );
}

/** How the update goes that the device was last asked to look for. It follows by itself. */
export function UpdateCourse({ device }: { readonly device: DeviceRecord }) {
  const query = useCall('devices.updateProgress', { params: { device_id: device.id } });
  const progress = query.data?.value;
  const known = usePercent(device.id);
  const percent = known && known.update === progress?.update?.id ? (known.percent ?? undefined) : undefined;
  if (query.error) return <ErrorBox error={query.error} onRetry={() => void query.refetch()} />;
  const steps = progress ? courseOf(progress, percent) : [];
  if (steps.length === 0) return null;
  return (
    <Card title={t.updateThatWasAskedFor}>
      <Stack component="ol" gap="xs" m={0} p={0} style={{ listStyle: 'none' }} aria-live="polite">
        {steps.map((step) => (
          <Step
            key={step.label}
            step={step}
            {...(step.label === t.downloads && percent !== undefined && { percent })}
          />
        ))}
      </Stack>
    </Card>
  );
}
