import { Text } from '@mantine/core';
import type { Reach } from '@moorage/api';
import { formatMoment, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t as reached } from '../../texts/reach.ts';
import { t } from '../../texts/rollouts.ts';

interface Notes {
  readonly reach: Reach;
  readonly rollout: NonNullable<Reach['rollout']>;
}

/** What the reach of a draft says beside its numbers of devices. */
export function PreviewNotes({ reach: { there, out, ends_at }, rollout: { stages, at_worst, back } }: Notes) {
  const notes = stages.flatMap(({ platform, flash, unseen }, index) => [
    ...(platform > 0 ? [t.otherPlatform(index + 1, plural(platform, nouns.device))] : []),
    ...(flash > 0 ? [t.littleFlash(index + 1, plural(flash, nouns.device))] : []),
    ...(unseen > 0 ? [t.notSeen(index + 1, plural(unseen, nouns.device))] : []),
  ]);
  return (
    <>
      {there > 0 && <Text size="sm">{reached.there(there)}</Text>}
      {Object.entries(out).map(([why, devices]) => (
        <Text key={why} size="sm">
          {reached.out({ why, devices })}
        </Text>
      ))}
      {notes.map((note) => (
        <Text key={note} size="sm" fw={600}>
          {note}
        </Text>
      ))}
      {ends_at !== null && <Text size="sm">{t.endsAt(formatMoment(Number(ends_at)))}</Text>}
      <Text size="sm">{(at_worst.stops ? t.reaches : t.reachesAll)(plural(at_worst.devices, nouns.device))}</Text>
      {back.map(({ version, devices }) => (
        <Text key={version} size="sm">
          {t.goesBack(plural(devices, nouns.device), version ?? t.whatItHasThen)}
        </Text>
      ))}
    </>
  );
}
