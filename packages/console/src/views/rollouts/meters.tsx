import { Box, List, Progress, Stack, Text } from '@mantine/core';
import type { RolloutRecord } from '@moorage/api';
import { t } from '../../texts/rollouts.ts';
import { stateName } from '../../texts/states.ts';
import { Card } from '../../ui/card.tsx';
import { Muted } from '../../ui/muted.tsx';
import { gateWords, phaseOf, type RolloutPhase, shareText } from './rollout-words.ts';

type AbortRule = NonNullable<RolloutRecord['settings']['abort']>[number];

interface AbortProps {
  readonly rule: AbortRule;
  readonly meter: RolloutRecord['abort'][number];
  readonly phase: RolloutPhase;
}

/** How far an abort rule is from being met, with its numbers. */
function AbortMeter({ rule: { kind, percent, min, action }, meter: { failed, ended, floor }, phase }: AbortProps) {
  const share = ended === 0 ? 0 : (100 * failed) / ended;
  const filled = percent === 0 ? (failed > 0 ? 100 : 0) : Math.min(100, (100 * share) / percent);
  const what = kind === 'any' ? t.anyFailure : t.failureOfKind(stateName(kind));
  return (
    <Box>
      <Text size="sm">{t.stopsWhen[action](percent, min, what)}</Text>
      {phase !== 'planned' && (
        <>
          <Progress
            value={filled}
            color={filled >= 100 ? 'red' : filled >= 50 ? 'orange' : 'teal'}
            my={4}
            aria-label={t.shareOfFailuresOfAllowed(shareText(failed, ended), percent)}
          />
          <Muted small>
            {t.failedOfEnded(failed, ended, shareText(failed, ended), Math.round(10 * floor) / 10)}
            {phase === 'under way' && ended < min && t.itCountsFromOn(min)}
          </Muted>
        </>
      )}
    </Box>
  );
}

/** What has to hold before the next stage, and what stops the rollout. */
export function Meters({ rollout }: { readonly rollout: RolloutRecord }) {
  const { settings, abort, stage, stages } = rollout;
  const rules = settings.abort ?? [];
  const open = stages[stage];
  const isLast = stage === settings.stages.length - 1;
  const phase = phaseOf(rollout);
  return (
    <Card title={t.gateAndStops}>
      <Stack gap="md">
        {phase === 'over' && <Text size="sm">{t.isOver[rollout.state === 'finished' ? 'finished' : 'stopped']}</Text>}
        {open && !isLast && phase !== 'over' && (
          <Box>
            <Text size="sm">{t.stageBeginsWhenOfStage(stage + 2, stage + 1)}</Text>
            <List size="sm" mt={4}>
              {gateWords(settings.stages[stage]?.gate, phase === 'planned' ? undefined : open).map((words) => (
                <List.Item key={words}>{words}</List.Item>
              ))}
            </List>
          </Box>
        )}
        {isLast && phase === 'under way' && <Text size="sm">{t.lastStageIsOpenNothing}</Text>}
        {rules.map((rule, index) => {
          const meter = abort[index];
          return meter && <AbortMeter key={`${rule.kind}-${rule.percent}`} rule={rule} meter={meter} phase={phase} />;
        })}
        {rules.length === 0 && phase !== 'over' && <Muted>{t.nothingStopsItByItself}</Muted>}
      </Stack>
    </Card>
  );
}
