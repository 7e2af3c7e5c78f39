import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { t } from '../texts/ui.ts';
import { useFrame } from './dialogs.ts';
import { errorsOfFields } from './field-errors.ts';
import { ErrorBox } from './states.tsx';
import { useUnsaved } from './unsaved.ts';

/** The fields of a form that keeps them together, as `useForm` makes it. */
interface FormFields {
  readonly values: object;
  readonly setErrors: (errors: Record<string, string>) => void;
}

interface FormProps {
  /** The verb on the button. */
  readonly submit: string;
  readonly children: ReactNode;
  /** What it does; what it throws is shown under the fields. */
  readonly onSubmit: () => Promise<unknown>;
  readonly disabled?: boolean;
  /** What the service refuses of one of them is shown at it. */
  readonly fields?: FormFields;
  /** Beside the button. */
  readonly more?: ReactNode;
  readonly fullWidth?: boolean;
  /** Something is typed that is not saved; a form in a dialogue finds that out by itself. */
  readonly dirty?: boolean;
}

/** A form that says while it works, and why it could not. In a dialogue it can be cancelled. */
export function Form(props: FormProps) {
  const { submit, children, onSubmit, disabled = false, fields, more, fullWidth = false, dirty = false } = props;
  const frame = useFrame();
  const [busy, setBusy] = useState(false);
  useUnsaved(dirty && !busy);
  const [error, setError] = useState<Error>();
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy || disabled) return;
    setBusy(true);
    setError(undefined);
    try {
      // What is being sent is not lost when the page goes on to what it has made.
      frame?.setDirty(false);
      await onSubmit();
    } catch (thrown) {
      frame?.setDirty(true);
      const errors = fields && errorsOfFields(thrown, fields.values);
      if (errors) fields.setErrors(errors);
      else setError(thrown instanceof Error ? thrown : new ApiError(0, 'UNKNOWN', String(thrown)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)} onInput={() => frame?.setDirty(true)} noValidate>
      <Stack gap="sm">
        {children}
        {error && <ErrorBox error={error} />}
        <Group gap="sm">
          <Button type="submit" loading={busy} disabled={disabled} fullWidth={fullWidth}>
            {submit}
          </Button>
          {frame && (
            <Button variant="default" onClick={frame.cancel}>
              {t.cancel}
            </Button>
          )}
          {more}
        </Group>
      </Stack>
    </form>
  );
}
