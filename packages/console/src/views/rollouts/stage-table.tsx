import { Table, Text } from '@mantine/core';
import type { ExecutionState, RolloutRecord } from '@moorage/api';
import { common } from '../../texts/common.ts';
import { formatCount } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/rollouts.ts';
import { stateName } from '../../texts/states.ts';
import { PageLink } from '../../ui/link.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { outOf, underWay } from './rollout-words.ts';

interface NumberProps {
  readonly rolloutId: string;
  readonly stage: number;
  readonly n: number;
  readonly label: string;
  readonly state?: ExecutionState;
  readonly kind?: string;
}

/** A number that leads to the devices behind it. */
function Devices({ rolloutId, stage, n, label, state, kind }: NumberProps) {
  if (n === 0) return <>0</>;
  const query = new URLSearchParams({ stage: String(stage), ...(state && { state }), ...(kind && { kind }) });
  return (
    <PageLink href={`/rollouts/${rolloutId}?${query}`} aria-label={t.ofStage(n, label, stage + 1)}>
      {formatCount(n)}
    </PageLink>
  );
}

/** The stages of a rollout in numbers; each of them leads to its devices. */
export function StageTable({ rollout }: { readonly rollout: RolloutRecord }) {
  return (
    <SmallTable
      label={t.stages2}
      columns={[
        t.stage,
        common.state,
        common.devices,
        common.done,
        common.failed,
        t.underWay,
        common.waiting,
        t.out,
        t.failuresByKind,
      ]}
    >
      {rollout.stages.map((stage, index) => {
        const of = { rolloutId: rollout.id, stage: index };
        const { counts, failures } = stage;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the number of a stage is its name
          <Table.Tr key={index}>
            <Table.Td>{index + 1}</Table.Td>
            <Table.Td>{stateName(stage.state)}</Table.Td>
            <Table.Td>
              <Devices {...of} n={stage.total} label={nouns.device.other} />
            </Table.Td>
            <Table.Td>
              <Devices {...of} n={counts.done} label={stateName('done')} state="done" />
            </Table.Td>
            <Table.Td>
              <Devices {...of} n={counts.failed} label={stateName('failed')} state="failed" />
            </Table.Td>
            <Table.Td>{formatCount(underWay(stage))}</Table.Td>
            <Table.Td>
              <Devices {...of} n={counts.waiting} label={stateName('waiting')} state="waiting" />
            </Table.Td>
            <Table.Td>{formatCount(outOf(stage))}</Table.Td>
            <Table.Td>
              {Object.entries(failures).map(([kind, n]) => (
                <Text key={kind} size="sm">
                  {stateName(kind)}: <Devices {...of} n={n} label={stateName(kind)} state="failed" kind={kind} />
                </Text>
              ))}
            </Table.Td>
          </Table.Tr>
        );
      })}
    </SmallTable>
  );
}
