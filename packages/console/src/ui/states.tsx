import { Alert, Button, Center, Group, Loader, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconInbox } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../texts/ui.ts';
import { adviceFor, sayError } from './refusals.ts';

interface ErrorBoxProps {
  readonly error: Error;
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** What went wrong, and what to do about it. */
export function ErrorBox({ error, title = t.thisDidNotWork, onRetry }: ErrorBoxProps) {
  return (
    <Alert role="alert" color="red" variant="outline" icon={<IconAlertTriangle aria-hidden />} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {sayError(error)}. {adviceFor(error)}
        </Text>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t.tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** That something is on its way. */
export function Loading({ label = t.loading }: { readonly label?: string }) {
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
      <ThemeIcon variant="light" size={48} radius="xl" aria-hidden>
        <IconInbox size={26} stroke={1.5} />
      </ThemeIcon>
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
