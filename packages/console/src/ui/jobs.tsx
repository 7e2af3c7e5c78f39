import { Button, Group, List, Progress, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useEffect, useRef, useState } from 'react';
import { formatCount, plural } from './format.ts';

/** What went wrong with one of many. */
export interface JobFailure {
  readonly name: string;
  readonly message: string;
}

/** Long work in steps, that tells how far it is and can be cancelled. */
export interface Job {
  /** What is being done: "Tagging 120 devices". */
  readonly title: string;
  /** What one step is done to: "device". */
  readonly noun: string;
  /**
   * Does it. `progress` is told how many of how many are done, and what did not work; it ends early when `signal` says
   * so.
   */
  readonly run: (
    progress: (done: number, of: number, failure?: JobFailure) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly onEnd?: () => void;
}

/** Failures that are listed; more are only counted. */
const listedFailures = 20;

const noFailures = { count: 0, listed: [] };

function JobDialog({ job, onClose }: { readonly job: Job; readonly onClose: () => void }) {
  const [state, setState] = useState({ done: 0, of: 0, phase: 'running' as 'running' | 'ended' | 'cancelled' });
  const [failures, setFailures] = useState<{ readonly count: number; readonly listed: readonly JobFailure[] }>(
    noFailures,
  );
  const controller = useRef(new AbortController());
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    const { signal } = controller.current;
    const progress = (done: number, of: number, failure?: JobFailure): void => {
      setState((old) => ({ ...old, done, of }));
      if (failure) fail(failure);
    };
    const fail = (failure: JobFailure): void =>
      setFailures(({ count, listed }) => ({
        count: count + 1,
        listed: count < listedFailures ? [...listed, failure] : listed,
      }));
    void job
      .run(progress, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) fail({ name: job.title, message: error instanceof Error ? error.message : String(error) });
      })
      .finally(() => {
        setState((old) => ({ ...old, phase: signal.aborted ? 'cancelled' : 'ended' }));
        job.onEnd?.();
      });
  }, [job]);
  const { done, of, phase } = state;
  const share = of === 0 ? 0 : (100 * done) / of;
  return (
    <Stack gap="sm">
      <Progress
        value={phase === 'running' && of === 0 ? 100 : share}
        animated={phase === 'running'}
        aria-label={job.title}
      />
      <Text size="sm" role="status">
        {phase === 'cancelled' && 'Cancelled: '}
        {of === 0 ? 'Looking up what to do …' : `${formatCount(done)} of ${plural(of, job.noun)}`}
        {failures.count > 0 && `, ${plural(failures.count, 'failure')}`}
      </Text>
      {failures.count > 0 && (
        <List size="sm" mah={200} style={{ overflow: 'auto' }}>
          {failures.listed.map(({ name, message }) => (
            <List.Item key={name}>
              {name}: {message}
            </List.Item>
          ))}
          {failures.count > listedFailures && (
            <List.Item>and {formatCount(failures.count - listedFailures)} more</List.Item>
          )}
        </List>
      )}
      <Group justify="flex-end">
        {phase === 'running' ? (
          <Button variant="default" onClick={() => controller.current.abort()}>
            Cancel the rest
          </Button>
        ) : (
          <Button onClick={onClose}>Close</Button>
        )}
      </Group>
    </Stack>
  );
}

/** Runs long work in a dialogue that shows how far it is and offers to cancel the rest. */
export function runJob(job: Job): void {
  const id = modals.open({
    title: job.title,
    closeOnClickOutside: false,
    closeOnEscape: false,
    withCloseButton: false,
    children: <JobDialog job={job} onClose={() => modals.close(id)} />,
  });
}

/** Calls of one job that are under way at once. */
const atOnce = 6;

/** Does one thing to each item, some at once; ends early when `signal` says so. */
export async function forEachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  told: (done: number, of: number, failure?: JobFailure) => void,
  { nameOf, signal }: { readonly nameOf: (item: T) => string; readonly signal: AbortSignal },
): Promise<void> {
  const waiting = items.values();
  let done = 0;
  told(0, items.length);
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (signal.aborted) return;
      const failed = await work(item).then(
        () => undefined,
        (error: unknown) => ({ name: nameOf(item), message: error instanceof Error ? error.message : String(error) }),
      );
      done += 1;
      told(done, items.length, failed);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
