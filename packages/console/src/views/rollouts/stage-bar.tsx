import { Box, Group, Text } from '@mantine/core';
import type { RolloutRecord } from '@moorage/api';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/rollouts.ts';
import { phaseOf } from './rollout-words.ts';

/** A part of a stage, and the colour that says it faster. */
interface Part {
  readonly share: number;
  readonly colour: string;
}

export interface BarStage {
  /** Devices, or percent where there are none yet. */
  readonly size: number;
  readonly label: string;
  readonly parts: readonly Part[];
  readonly isOpen?: boolean;
}

const colours = { done: 'teal-6', failed: 'red-6', open: 'blue-5' } as const;

/** Stages that are planned, by the percent of all devices that each reaches. */
export const plannedStages = (percents: readonly number[]): BarStage[] =>
  percents.map((percent, index) => ({
    size: Math.max(0, percent - (percents[index - 1] ?? 0)),
    label: `${percent} %`,
    parts: [{ share: 1, colour: index % 2 === 0 ? 'cyan-6' : 'cyan-8' }],
  }));

/** The stages of a rollout as they fill. */
export const stagesOf = ({ stages, state, settings }: RolloutRecord): BarStage[] => {
  // No device is counted before it starts.
  if (phaseOf({ state }) === 'planned') return plannedStages(settings.stages.map(({ percent = 100 }) => percent));
  return stages.map((stage, index) => {
    const { done, failed, offered, downloading, installed } = stage.counts;
    const total = Math.max(1, stage.total);
    return {
      size: stage.total,
      label: t.stage4(index + 1, formatCount(stage.total)),
      isOpen: stage.state === 'open' && state === 'running',
      parts: [
        { share: done / total, colour: colours.done },
        { share: failed / total, colour: colours.failed },
        { share: (offered + downloading + installed) / total, colour: colours.open },
      ],
    };
  });
};

/** A stage is never too narrow to be seen, in shares of the whole. */
const leastShare = 0.06;

/** Stages side by side, as wide as they have devices; what is in them is said in words beside it. */
export function StageBar({ stages, label }: { readonly stages: readonly BarStage[]; readonly label: string }) {
  const sum = Math.max(
    1,
    stages.reduce((all, { size }) => all + size, 0),
  );
  return (
    <Group gap={3} wrap="nowrap" role="img" aria-label={label} align="flex-start">
      {stages.map(({ size, label: title, parts, isOpen }) => (
        <Box key={title} style={{ flexGrow: Math.max(leastShare, size / sum), flexBasis: 0, minWidth: 0 }}>
          <Box
            h={22}
            bd={`1px solid var(--mantine-color-${isOpen ? 'blue-6' : 'default-border'})`}
            style={{ borderRadius: 4, overflow: 'hidden', display: 'flex' }}
          >
            {parts.map(({ share, colour }) => (
              <Box
                key={colour}
                w={`${100 * share}%`}
                style={{ background: `var(--mantine-color-${colour})`, transition: 'width 300ms' }}
              />
            ))}
          </Box>
          <Text size="xs" truncate aria-hidden>
            {title}
          </Text>
        </Box>
      ))}
    </Group>
  );
}
