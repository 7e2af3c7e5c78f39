import { Group, Text } from '@mantine/core';
import type { DeviceStanding } from '@moorage/api';
import { useDeviceEvents } from '../../api/live.tsx';
import { t } from '../../texts/devices.tsx';
import { sayReason } from '../../texts/reasons.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Moment } from '../../ui/moment.tsx';
import { standingWords } from './device-state.ts';
import { keepPercent, usePercent } from './percent.ts';

/** An update that is under way, with the share of its download as it comes. */
function Updating({ deviceId, title }: { readonly deviceId: string; readonly title: string | undefined }) {
  useDeviceEvents(deviceId, (type, data) => keepPercent(deviceId, type, data));
  const percent = usePercent(deviceId)?.percent ?? undefined;
  return (
    <span title={title}>
      <StateBadge state={standingWords.updating} {...(percent !== undefined && { detail: `${percent} %` })} />
    </span>
  );
}

interface StandingBadgeProps {
  readonly deviceId: string;
  readonly standing: DeviceStanding;
}

/** How a device stands to what it should run, in a line of a table. */
export function StandingBadge({ deviceId, standing: { state, reason, version } }: StandingBadgeProps) {
  const onOffer = version === null ? undefined : t.version(version);
  if (state === 'updating') return <Updating deviceId={deviceId} title={onOffer} />;
  return (
    <span title={reason === null ? (state === 'waiting' ? onOffer : undefined) : sayReason(reason)}>
      <StateBadge state={standingWords[state]} />
    </span>
  );
}

/** The same in a sentence, with since when and why. */
export function StandingText({ standing: { state, since, version, reason } }: { readonly standing: DeviceStanding }) {
  const texts: Readonly<Record<DeviceStanding['state'], string>> = {
    up_to_date: version === null ? t.itRunsWhatItWas : t.itRunsVersionWhichIt(version),
    waiting: since === null ? t.waits(version ?? '') : t.isOnOffer(version ?? ''),
    updating: t.updatesTo(version ?? ''),
    failed: t.didNotGetThere(version ?? '', reason === null ? '' : `: ${sayReason(reason)}`),
    unknown: t.itHasNotSaidYet,
  };
  return (
    <Group gap={6}>
      <StateBadge state={standingWords[state]} />
      <Text>
        {texts[state]}
        {since !== null && (
          <>
            {t.since}
            <Moment at={since} since />
          </>
        )}
        .
      </Text>
    </Group>
  );
}
