import { Alert, Button, Select, SimpleGrid, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { RolloutAction, RolloutRecord } from '@moorage/api';
import { IconHandStop } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t as fleet } from '../../texts/fleet.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { sayReason } from '../../texts/reasons.ts';
import { t } from '../../texts/rollouts.ts';
import { stateName } from '../../texts/states.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { PageLink } from '../../ui/link.tsx';
import { LoadedPage } from '../../ui/loaded-page.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import type { ViewProps } from '../view-props.ts';
import { Executions } from './executions.tsx';
import { Meters } from './meters.tsx';
import { Rehearsals, RehearseButton } from './rehearsals.tsx';
import {
  failedIn,
  mayLeaveOut,
  mayRehearse,
  mayRetry,
  offeredRolloutActions,
  type RolloutActionRow,
  takesSignal,
  waitingIn,
} from './rollout-actions.ts';
import { phaseOf, rolloutStateOf, rolloutWords } from './rollout-words.ts';
import { StageBar, stagesOf } from './stage-bar.tsx';
import { StageTable } from './stage-table.tsx';
import { StopForm } from './stop-form.tsx';

const crumbs = [{ title: common.rollouts, href: '/rollouts' }];

/** How often a rollout that runs is looked at, beside what events report: downloads report none. */
const runningMs = 10_000;

function ActionButton({ rollout, row }: { readonly rollout: RolloutRecord; readonly row: RolloutActionRow }) {
  const act = useChange('rollouts.act', 'rollouts', 'devices');
  const { action, label, says, destructive = false } = row;
  const run = async (): Promise<void> => {
    await act.mutateAsync({ params: { rollout_id: rollout.id }, body: { action: action satisfies RolloutAction } });
  };
  const click = (): void => {
    if (!says) return void run().catch(notifyError);
    confirm({ title: `${label}: ${rollout.title}?`, body: says(rollout), action: label, destructive, run });
  };
  return (
    <Button
      variant={action === 'start' || action === 'resume' ? 'filled' : destructive ? 'outline' : 'default'}
      {...(destructive && { color: 'red' })}
      loading={act.isPending}
      onClick={click}
    >
      {says ? `${label} …` : label}
    </Button>
  );
}

/** The word that a gate waits for from outside, given here. */
function SignalButton({ rollout }: { readonly rollout: RolloutRecord }) {
  const signal = useChange('rollouts.signal', 'rollouts', 'devices');
  const ask = (): void =>
    confirm({
      title: `${fleet.giveSignal}: ${rollout.title}?`,
      body: fleet.nextStageMayBegin,
      action: fleet.giveSignal,
      async run() {
        await signal.mutateAsync({ params: { rollout_id: rollout.id }, body: { pass: true } });
      },
    });
  return (
    <Button variant="default" loading={signal.isPending} onClick={ask}>
      {fleet.giveSignal} …
    </Button>
  );
}

/** Ends the wait for devices that may never ask. */
function LeaveOutButton({ rollout }: { readonly rollout: RolloutRecord }) {
  const leaveOut = useChange('rollouts.leaveOut', 'rollouts', 'devices');
  const ask = (): void =>
    confirm({
      title: `${t.leaveOutWaiting}: ${rollout.title}?`,
      body: t.leaveOutQuestion(plural(waitingIn(rollout), nouns.device)),
      action: t.leaveOutWaiting,
      destructive: true,
      run: () => leaveOut.mutateAsync({ params: { rollout_id: rollout.id }, body: {} }),
    });
  return (
    <Button variant="default" loading={leaveOut.isPending} onClick={ask}>
      {t.leaveOutWaiting} …
    </Button>
  );
}

/** As many bundles as one page of the service may have. */
const listed = 500;

interface RetryProps {
  readonly rollout: RolloutRecord;
  readonly onDone: () => void;
}

function RetryForm({ rollout, onDone }: RetryProps) {
  const [bundle, setBundle] = useState(rollout.bundle_id);
  const retry = useChange('rollouts.retry', 'rollouts');
  const bundles = useCall('bundles.list', {
    params: { product_id: rollout.product_id },
    query: { state: 'published', limit: listed },
  });
  const send = async (): Promise<void> => {
    await retry.mutateAsync({ params: { rollout_id: rollout.id }, body: { bundle_id: bundle } });
    notify(t.failedDevicesTryAgain);
    onDone();
  };
  const failed = failedIn(rollout);
  return (
    <Form submit={t.tryAgain(plural(failed, nouns.device))} onSubmit={send}>
      <Select
        label={t.withBundle}
        description={t.devicesThatAreWaitingGet}
        data={(bundles.data?.value ?? []).map(({ id, version, tag }) => ({
          value: id,
          label: tag === null ? version : `${version} (${tag})`,
        }))}
        value={bundle}
        onChange={(next) => setBundle(next ?? rollout.bundle_id)}
        allowDeselect={false}
        searchable
        data-autofocus
      />
    </Form>
  );
}

function StopProductForm({ rollout, onDone }: RetryProps) {
  const stopProduct = useChange('rollouts.stop', 'rollouts', 'devices');
  const stop = async (reason: string): Promise<void> => {
    const params = { product_id: rollout.product_id };
    const { paused } = await stopProduct.mutateAsync({ params, body: { reason } });
    notify(t.isFrozenAndPaused(rollout.product, plural(paused, nouns.rollout)));
    onDone();
  };
  return <StopForm says={t.everyRolloutOfPausesAnd(rollout.product)} stop={stop} />;
}

function Actions({ rollout }: { readonly rollout: RolloutRecord }) {
  const [retried, retry] = useDisclosure();
  const [stopped, stop] = useDisclosure();
  return (
    <>
      {offeredRolloutActions(rollout).map((row) => (
        <ActionButton key={row.action} rollout={rollout} row={row} />
      ))}
      {rollout.state === 'finished' && <ReleaseButton rollout={rollout} />}
      {mayRehearse(rollout) && <RehearseButton rollout={rollout} />}
      {takesSignal(rollout) && <SignalButton rollout={rollout} />}
      {mayLeaveOut(rollout) && <LeaveOutButton rollout={rollout} />}
      {mayRetry(rollout) && (
        <Button variant="default" onClick={retry.open}>
          {t.retryFailed}
        </Button>
      )}
      <Button color="red.9" leftSection={<IconHandStop size={16} aria-hidden />} onClick={stop.open}>
        {t.emergencyStop}
      </Button>
      <Dialog title={t.retryFailedDevices} opened={retried} onClose={retry.close}>
        <RetryForm rollout={rollout} onDone={retry.close} />
      </Dialog>
      <Dialog title={t.emergencyStopOf(rollout.product)} opened={stopped} onClose={stop.close}>
        <StopProductForm rollout={rollout} onDone={stop.close} />
      </Dialog>
    </>
  );
}

function About({ rollout }: { readonly rollout: RolloutRecord }) {
  const { settings, filter } = rollout;
  const { pace, retry, then_tag } = settings;
  const paces = [
    pace?.open === undefined ? undefined : t.openAtTime(pace.open),
    pace?.per_minute === undefined ? undefined : t.inMinute(pace.per_minute),
  ].filter((one) => one !== undefined);
  return (
    <Card title={t.aboutIt}>
      <Fields>
        <Field label={common.product}>
          <PageLink href={`/products/${rollout.product_id}`}>{rollout.product}</PageLink>
        </Field>
        <Field label={common.bundle}>
          <PageLink href={`/bundles/${rollout.bundle_id}`}>{rollout.bundle}</PageLink>
        </Field>
        <Field label={common.devices} value={filter} mono={filter !== null}>
          {filter ?? t.allOfProduct}
        </Field>
        <Field label={t.pace}>{paces.join(', ') || t.asFastAsDevicesAsk}</Field>
        <Field label={t.retries}>{retry ? t.firstAfterS(retry.count, retry.back_off_s) : t.none}</Field>
        <Field label={t.tagAtEnd}>{then_tag ?? t.none}</Field>
        <Field label={t.priority}>{rollout.priority}</Field>
        <Field label={t.mayStillAsk}>{plural(rollout.can_still.devices, nouns.device)}</Field>
        <Field label={t.canStillBe}>
          {rollout.can_still.ends.map((state) => stateName(rolloutStateOf({ state }))).join(', ') || t.none}
        </Field>
        <Field label={t.drafted}>
          <Moment at={rollout.created_at} />
        </Field>
        <Field label={t.started}>
          <Moment at={rollout.started_at} none={t.notYet} />
        </Field>
        <Field label={t.ended}>
          <Moment at={rollout.finished_at} none={t.notYet} />
        </Field>
      </Fields>
    </Card>
  );
}

/** The stages of a rollout that has not begun: no device has been counted yet. */
function Planned({ rollout }: { readonly rollout: RolloutRecord }) {
  const percents = rollout.settings.stages.map(({ percent = 100 }) => percent);
  const words = percents.map((percent, index) => t.stageUpTo(index + 1, percent)).join(', ');
  return (
    <>
      <StageBar stages={stagesOf(rollout)} label={t.stages(words)} />
      <Muted>{t.stagesArePlanned(words)}</Muted>
    </>
  );
}

/** A bundle that all have got by a rollout is not what new devices get before it is the release: its page asks about that. */
function ReleaseButton({ rollout: { bundle_id } }: { readonly rollout: RolloutRecord }) {
  const bundle = useCall('bundles.get', { params: { bundle_id } }).data?.value;
  if (bundle?.state !== 'published' || bundle.tag === 'release') return null;
  return (
    <Button variant="default" component={Link} href={`/bundles/${bundle_id}?tag`}>
      {t.makeItTheRelease}
    </Button>
  );
}

function RolloutPage({ rollout }: { readonly rollout: RolloutRecord }) {
  const state = rolloutStateOf(rollout);
  return (
    <Page
      title={rollout.title}
      mark={
        <span role="status" aria-label={t.stateOfRollout}>
          <StateBadge state={state} />
        </span>
      }
      description={t.versionFor(rollout.bundle, rollout.product)}
      crumbs={crumbs}
      actions={<Actions rollout={rollout} />}
    >
      {rollout.reason !== null && (
        <Alert
          color={rollout.state === 'running' ? 'blue' : 'orange'}
          variant="outline"
          title={t.itIs(stateName(state))}
        >
          {sayReason(rollout.reason)}
        </Alert>
      )}
      <Card title={t.stages2}>
        <Stack gap="md">
          {phaseOf(rollout) === 'planned' ? (
            <Planned rollout={rollout} />
          ) : (
            <>
              <StageBar stages={stagesOf(rollout)} label={rolloutWords(rollout)} />
              <StageTable rollout={rollout} />
            </>
          )}
        </Stack>
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Meters rollout={rollout} />
        <About rollout={rollout} />
      </SimpleGrid>
      <Rehearsals rollout={rollout} />
      <Card title={common.devices}>
        <Executions rollout={rollout} />
      </Card>
    </Page>
  );
}

/** One rollout, as it runs. */
export default function Rollout({ params: { id = '' } }: ViewProps) {
  const query = useCall('rollouts.get', { params: { rollout_id: id } }, { everyMs: runningMs });
  return (
    <LoadedPage query={query} noun={nouns.rollout} crumbs={crumbs}>
      {({ value: rollout }) => <RolloutPage rollout={rollout} />}
    </LoadedPage>
  );
}
