import { Group, Stack } from '@mantine/core';
import { type ExecutionRecord, executionStates, failureKinds, type RolloutRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/rollouts.ts';
import { stateName } from '../../texts/states.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { PageLink } from '../../ui/link.tsx';
import { momentOf } from '../../ui/moment.tsx';
import { Empty } from '../../ui/states.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';

const filterNames = ['stage', 'state', 'kind'] as const;

const columns: readonly Column<ExecutionRecord>[] = [
  {
    key: 'device',
    title: common.device,
    cell: ({ device, device_id }) => (
      <PageLink href={`/devices/${device_id}`} fw={600} size="sm">
        {device || device_id}
      </PageLink>
    ),
  },
  { key: 'stage', title: t.stage, from: 'sm', cell: ({ stage }) => stage + 1 },
  { key: 'state', title: common.state, cell: ({ state }) => <StateBadge state={state} /> },
  { key: 'kind', title: common.why, cell: ({ kind }) => (kind === null ? '' : stateName(kind)) },
  { key: 'bundle', title: common.version, from: 'md', cell: ({ bundle }) => bundle ?? '' },
  {
    key: 'can_still',
    title: t.canStillBe,
    from: 'chosen',
    cell: ({ can_still }) => can_still.map(stateName).join(', '),
  },
  { key: 'attempt', title: t.attempt, from: 'md', cell: ({ attempt }) => attempt },
  { key: 'changed', title: common.since, sort: 'changed_at', from: 'sm', cell: momentOf('changed_at') },
];

const named = (value: string) => ({ value, label: stateName(value) });

/** The devices of a rollout, and those behind each of its numbers. */
export function Executions({ rollout }: { readonly rollout: RolloutRecord }) {
  const list = useListAddress('Devices of the rollout', filterNames);
  const { stage: stageText, kind } = list.filters;
  const state = executionStates.find((one) => one === list.filters.state);
  const stage = stageText !== undefined && /^\d{1,2}$/.test(stageText) ? Number(stageText) : undefined;
  const query = {
    ...pageOf<'changed_at'>(list),
    ...(state && { state }),
    ...(stage !== undefined && { stage }),
    ...(kind !== undefined && { kind }),
  };
  const executions = useCall(
    'rollouts.executions',
    { params: { rollout_id: rollout.id }, query },
    { keepPrevious: true },
  );
  const isFiltered = state !== undefined || stage !== undefined || kind !== undefined;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <ChoiceFilter
          list={list}
          name="stage"
          label={t.stage}
          choices={rollout.stages.map((_, index) => ({ value: String(index), label: t.stagePart(index + 1) }))}
        />
        <ChoiceFilter list={list} name="state" label={common.state} choices={executionStates.map(named)} />
        <ChoiceFilter list={list} name="kind" label={t.kindOfFailure} choices={failureKinds.map(named)} />
      </Group>
      <DataTable
        label={t.devicesOfRollout}
        noun={nouns.device}
        columns={columns}
        query={executions}
        list={list}
        idOf={({ device_id }) => device_id}
        empty={
          <Empty title={isFiltered ? t.noDeviceFits : t.itHasNoDevicesYet}>
            {!isFiltered && t.devicesGetTheirStageWhen}
          </Empty>
        }
      />
    </Stack>
  );
}
