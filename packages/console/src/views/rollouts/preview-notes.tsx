import { Text } from '@mantine/core';
import type { RolloutPreview } from '@moorage/api';
import { formatMoment, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/rollouts.ts';

/** What a preview says beside its numbers of devices. */
export function PreviewNotes({ preview: { warnings, ends_at, reach, back } }: { readonly preview: RolloutPreview }) {
  const notes = warnings.flatMap(({ platform, flash, unseen }, index) => [
    ...(platform > 0 ? [t.otherPlatform(index + 1, plural(platform, nouns.device))] : []),
    ...(flash > 0 ? [t.littleFlash(index + 1, plural(flash, nouns.device))] : []),
    ...(unseen > 0 ? [t.notSeen(index + 1, plural(unseen, nouns.device))] : []),
  ]);
  return (
    <>
      {notes.map((note) => (
        <Text key={note} size="sm" fw={600}>
          {note}
        </Text>
      ))}
      <Text size="sm">{t.endsAt(formatMoment(Number(ends_at)))}</Text>
      <Text size="sm">{(reach.stops ? t.reaches : t.reachesAll)(plural(reach.devices, nouns.device))}</Text>
      {back.map(({ version, devices }) => (
        <Text key={version} size="sm">
          {t.goesBack(plural(devices, nouns.device), version ?? t.whatItHasThen)}
        </Text>
      ))}
    </>
  );
}
