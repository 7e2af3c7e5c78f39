import { Button, Group, List, Progress, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useEffect, useRef, useState } from 'react';
import { common } from '../texts/common.ts';
import { formatCount, plural } from '../texts/format.ts';
import type { Noun } from '../texts/language.ts';
import { nouns } from '../texts/nouns.ts';
import { t } from '../texts/ui.ts';
import type { JobFailure, OnProgress } from './batches.ts';
import { withDialogs } from './dialogs.ts';
import { sayError } from './refusals.ts';

/** Long work in steps, with progress, that can be cancelled. */
export interface Job {
  /** What is being done: "Tagging 120 devices". */
  readonly title: string;
  /** What one step is done to. */
  readonly noun: Noun;
  /** Does it; ends early when `signal` says so. */
  readonly run: (progress: OnProgress, signal: AbortSignal) => Promise<void>;
  readonly onEnd?: () => void;
}

/** Failures that are listed; more are only counted. */
const listedFailures = 20;

const noFailures = { count: 0, listed: [] };

interface JobDialogProps {
  readonly job: Job;
  readonly onEnded: () => void;
  readonly onClose: () => void;
}

function JobDialog({ job, onEnded, onClose }: JobDialogProps) {
  const [state, setState] = useState({ done: 0, of: 0, phase: 'running' as 'running' | 'ended' | 'cancelled' });
  const [failures, setFailures] = useState<{ readonly count: number; readonly listed: readonly JobFailure[] }>(
    noFailures,
  );
  const controller = useRef(new AbortController());
  const begun = useRef(false);
  const place = useRef<HTMLDivElement>(null);
  // The button that was pressed went with the dialogue before; the one that cancels is not to be pressed by mistake.
  useEffect(() => place.current?.focus(), []);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    const { signal } = controller.current;
    const progress: OnProgress = (done, of, failed = []) => {
      setState((old) => ({ ...old, done, of }));
      fail(failed);
    };
    const fail = (failed: readonly JobFailure[]): void =>
      setFailures(({ count, listed }) => ({
        count: count + failed.length,
        listed: [...listed, ...failed].slice(0, listedFailures),
      }));
    void job
      .run(progress, signal)
      .catch((error: unknown) => {
        if (!signal.aborted)
          fail([{ name: job.title, message: error instanceof Error ? sayError(error) : String(error) }]);
      })
      .finally(() => {
        setState((old) => ({ ...old, phase: signal.aborted ? 'cancelled' : 'ended' }));
        onEnded();
        job.onEnd?.();
      });
  }, [job, onEnded]);
  const { done, of, phase } = state;
  const share = of === 0 ? 0 : (100 * done) / of;
  return (
    <Stack gap="sm" ref={place} tabIndex={-1} style={{ outline: 'none' }}>
      <Progress
        // Of one step it is not known how far it is.
        value={phase === 'running' && done === 0 ? 100 : share}
        animated={phase === 'running'}
        aria-label={job.title}
      />
      <Text size="sm" role="status">
        {phase === 'cancelled' && `${t.cancelled2} `}
        {of === 0 ? t.lookingUpWhatToDo : t.of(formatCount(done), plural(of, job.noun))}
        {failures.count > 0 && `, ${plural(failures.count, nouns.failure)}`}
      </Text>
      {failures.count > 0 && (
        <List size="sm" mah={200} style={{ overflow: 'auto' }}>
          {failures.listed.map(({ name, message }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: it is only added to, and two devices may have the same name
            <List.Item key={i}>
              {name}: {message}
            </List.Item>
          ))}
          {failures.count > listedFailures && (
            <List.Item>{t.andMore(formatCount(failures.count - listedFailures))}</List.Item>
          )}
        </List>
      )}
      <Group justify="flex-end">
        {phase === 'running' ? (
          <Button variant="default" onClick={() => controller.current.abort()}>
            {t.cancelRest}
          </Button>
        ) : (
          // Another button than the one before: the focus shows that it is there.
          <Button key="close" autoFocus onClick={onClose}>
            {common.close}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

let lastJob = 0;

/** Runs long work in a dialogue that shows how far it is and offers to cancel the rest. */
export function runJob(job: Job): void {
  lastJob += 1;
  // As long as it works, only the button that cancels the rest ends it.
  const onEnded = (): void => modals.updateModal({ modalId: id, closeOnEscape: true });
  const id = `job-${lastJob}`;
  withDialogs(() =>
    modals.open({
      modalId: id,
      title: job.title,
      closeOnClickOutside: false,
      closeOnEscape: false,
      withCloseButton: false,
      // The button that began it may be gone with what was selected.
      onClose: () => document.getElementById('main')?.focus({ preventScroll: true }),
      children: <JobDialog job={job} onEnded={onEnded} onClose={() => modals.close(id)} />,
    }),
  );
}
