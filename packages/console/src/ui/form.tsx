import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { ErrorBox } from './states.tsx';

interface FormProps {
  /** The verb on the button. */
  readonly submit: string;
  readonly children: ReactNode;
  /** What it does; what it throws is shown under the fields. */
  readonly onSubmit: () => Promise<unknown>;
  readonly disabled?: boolean;
  /** Beside the button. */
  readonly more?: ReactNode;
  readonly fullWidth?: boolean;
}

/** A form that says while it works, and why it could not. */
export function Form({ submit, children, onSubmit, disabled = false, more, fullWidth = false }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy || disabled) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new ApiError(0, 'UNKNOWN', String(thrown)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)} noValidate>
      <Stack gap="sm">
        {children}
        {error && <ErrorBox error={error} />}
        <Group gap="sm">
          <Button type="submit" loading={busy} disabled={disabled} fullWidth={fullWidth}>
            {submit}
          </Button>
          {more}
        </Group>
      </Stack>
    </form>
  );
}
