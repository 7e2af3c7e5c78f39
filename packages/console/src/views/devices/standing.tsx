import { Group, Text } from '@mantine/core';
import type { DeviceStanding } from '@moorage/api';
import { t } from '../../texts/devices.tsx';
import { StateBadge } from '../../ui/badge.tsx';
import { Moment } from '../../ui/moment.tsx';
import { standingWords } from './device-state.ts';

/** How a device stands to what it should run, in a line of a table. */
export const StandingBadge = ({ standing: { state, reason, version } }: { readonly standing: DeviceStanding }) => (
  <span title={reason ?? (state === 'waiting' && version !== null ? t.version(version) : undefined)}>
    <StateBadge state={standingWords[state]} />
  </span>
);

/** The same in a sentence, with since when and why. */
export function StandingText({ standing: { state, since, version, reason } }: { readonly standing: DeviceStanding }) {
  const texts: Readonly<Record<DeviceStanding['state'], string>> = {
    up_to_date: version === null ? t.itRunsWhatItWas : t.itRunsVersionWhichIt(version),
    waiting: since === null ? t.waits(version ?? '') : t.isOnOffer(version ?? ''),
    updating: t.updatesTo(version ?? ''),
    failed: t.didNotGetThere(version ?? '', reason === null ? '' : `: ${reason}`),
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
            <Moment at={since} />
          </>
        )}
        .
      </Text>
    </Group>
  );
}
