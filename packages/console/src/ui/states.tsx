import { Alert, Button, Center, Group, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconMoodEmpty } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';

/** What somebody can do about a failed call, by the status of its answer. */
function adviceFor(error: Error): string {
  if (!(error instanceof ApiError)) return 'Reload the page; if it stays like this, tell whoever runs the service.';
  if (error.status === 0) return 'Check that it is running and that your network works; this page tries again.';
  if (error.status === 403) return 'Somebody with more rights has to do this, or has to let you in.';
  if (error.status === 404) return 'It may have been deleted, or you are not allowed to see it.';
  if (error.status === 409) return 'Something else has to be changed first.';
  if (error.status === 429 || error.status === 503) return 'Wait a moment, then try again.';
  if (error.status >= 500) return 'The log of the service says why.';
  return 'Correct what the message names, then try again.';
}

interface ErrorBoxProps {
  readonly error: Error;
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** What went wrong, and what to do about it. */
export function ErrorBox({ error, title = 'This did not work', onRetry }: ErrorBoxProps) {
  return (
    <Alert role="alert" color="red" variant="outline" icon={<IconAlertTriangle aria-hidden />} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {error.message}. {adviceFor(error)}
        </Text>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** That something is on its way. */
export function Loading({ label = 'Loading' }: { readonly label?: string }) {
  return (
    <Center py="xl" role="status">
      <Group gap="sm">
        <Loader size="sm" aria-hidden />
        <Text c="dimmed">{label} …</Text>
      </Group>
    </Center>
  );
}

interface EmptyProps {
  readonly title: string;
  /** What would be here, and how it gets here. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** That there is nothing, and why. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md">
      <IconMoodEmpty aria-hidden size={32} stroke={1.2} />
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" ta="center" maw={460} size="sm" component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}

interface LoadedProps<T> {
  readonly query: UseQueryResult<T, Error>;
  readonly label?: string;
  readonly children: (data: T) => ReactNode;
}

/** What a query has brought; until then that it is on its way, or why it did not come. */
export function Loaded<T>({ query, label, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorBox error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading {...(label !== undefined && { label })} />;
}
