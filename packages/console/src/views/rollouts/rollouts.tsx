import { Button, Group, Stack, Text } from '@mantine/core';
import { type RolloutRecord, rolloutStates } from '@moorage/api';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
import { sayReason } from '../../texts/reasons.ts';
import { t } from '../../texts/rollouts.ts';
import { stateName } from '../../texts/states.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';
import { rolloutStateOf, rolloutWords } from './rollout-words.ts';
import { StageBar, stagesOf } from './stage-bar.tsx';
import { StopAll } from './stop-all.tsx';

const filterNames = ['state'] as const;

/** What lists of rollouts show of each. */
export const rolloutColumns: readonly Column<RolloutRecord>[] = [
  {
    key: 'title',
    title: t.rollout,
    cell: ({ id, title, product, bundle }) => (
      <Stack gap={0}>
        <PageLink href={`/rollouts/${id}`} fw={600} size="sm">
          {title}
        </PageLink>
        <Muted small>{t.of(bundle, product)}</Muted>
      </Stack>
    ),
  },
  {
    key: 'state',
    title: common.state,
    cell: (rollout) => (
      <Stack gap={2} align="flex-start">
        <StateBadge state={rolloutStateOf(rollout)} />
        {rollout.reason !== null && (
          <Text size="xs" maw={320}>
            {sayReason(rollout.reason)}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    key: 'stages',
    title: t.stages2,
    from: 'sm',
    cell: (rollout) => <StageBar stages={stagesOf(rollout)} label={rolloutWords(rollout)} />,
  },
  {
    key: 'started',
    title: t.started,
    from: 'md',
    cell: ({ started_at }) => <Moment at={started_at} none={t.notYet} />,
  },
];

/** Rollouts of every product whose fleet the user manages. */
export default function Rollouts() {
  const isAdmin = useIsAdmin();
  const list = useListAddress('Rollouts', filterNames);
  const state = rolloutStates.find((one) => one === list.filters.state);
  const query = { limit: list.limit, offset: list.offset, ...(state && { state }) };
  const rollouts = useCall('rollouts.listAll', { query }, { keepPrevious: true });
  return (
    <Page
      title={common.rollouts}
      description={t.rolloutBringsBundleToDevices}
      actions={
        <>
          <Button component={Link} href="/rollouts/new" leftSection={<IconPlus size={16} aria-hidden />}>
            {common.newRollout}
          </Button>
          {isAdmin && <StopAll />}
        </>
      }
    >
      <Group>
        <ChoiceFilter
          list={list}
          name="state"
          label={t.stateOfRollout}
          any={t.allStates}
          choices={rolloutStates.map((value) => ({ value, label: stateName(value) }))}
          width={200}
        />
      </Group>
      <DataTable
        label={common.rollouts}
        noun={nouns.rollout}
        columns={rolloutColumns}
        query={rollouts}
        list={list}
        idOf={({ id }) => id}
        empty={
          state ? (
            <Empty title={t.noRolloutIs(stateName(state))} />
          ) : (
            <Empty title={t.thereAreNoRolloutsYet}>{t.publishBundleOfProductAnd}</Empty>
          )
        }
      />
    </Page>
  );
}
