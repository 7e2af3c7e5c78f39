import { Alert, List, Stack, Text } from '@mantine/core';
import type { BodyOf, Contract, Reach } from '@moorage/api';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { formatMoment } from '../../texts/format.ts';
import { t } from '../../texts/reach.ts';
import { Loaded } from '../../ui/states.tsx';

/** What is about to be done. */
export type ReachChange = BodyOf<Contract['rollouts']['reach']>;

/** What a change would do, as the service counts it. Asked anew each time: others move, too. */
export const useReach = (productId: string, body: ReachChange, enabled = true) =>
  useQuery({
    queryKey: ['devices', 'reach', productId, body],
    queryFn: async ({ signal }) =>
      (await call('rollouts.reach', { params: { product_id: productId }, body }, signal)).value,
    enabled,
    staleTime: 0,
    gcTime: 0,
  });

/** What a reach says, in sentences: the sum of it first. */
export function reachTexts({ moves, there, out, unseen, flash, ends_at }: Reach): readonly [string, ...string[]] {
  const moved = moves.reduce((sum, { devices }) => sum + devices, 0);
  return [
    moved === 0 ? t.movesNone : t.moves(moved),
    ...moves.map(t.path),
    ...(there > 0 ? [t.there(there)] : []),
    ...Object.entries(out).map(([why, devices]) => t.out({ why, devices })),
    ...(unseen > 0 ? [t.unseen(unseen)] : []),
    ...(flash > 0 ? [t.flash(flash)] : []),
    ...(moved > 0 && ends_at !== null ? [t.offeredBy(formatMoment(Number(ends_at)))] : []),
  ];
}

interface ReachNoteProps {
  readonly reach: ReturnType<typeof useReach>;
}

function Said({ reach }: { readonly reach: Reach }) {
  const [sum, ...rest] = reachTexts(reach);
  return (
    <Stack gap={6}>
      <Text fw={600} size="sm">
        {sum}
      </Text>
      <List size="sm">
        {rest.map((text) => (
          <List.Item key={text}>{text}</List.Item>
        ))}
      </List>
    </Stack>
  );
}

/** Says in a dialogue what its change would do. */
export const ReachNote = ({ reach }: ReachNoteProps) => (
  <Alert variant="outline" color="cyan" title={t.whatThisDoes} role="status">
    <Loaded query={reach} label={t.countingDevices}>
      {(data) => <Said reach={data} />}
    </Loaded>
  </Alert>
);

/** The same where nothing is typed: for a question. */
export const Reaching = ({ productId, body }: { readonly productId: string; readonly body: ReachChange }) => (
  <ReachNote reach={useReach(productId, body)} />
);
