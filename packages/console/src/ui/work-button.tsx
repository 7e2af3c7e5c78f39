import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ErrorBox } from './states.tsx';

interface WorkButtonProps {
  readonly label: string;
  readonly icon?: ReactNode;
  /** What it does; what it throws is shown under the button. */
  readonly run: () => Promise<void>;
  readonly errorTitle?: string;
}

/** A button that says while it works, and why it could not. */
export function WorkButton({ label, icon, run, errorTitle }: WorkButtonProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const work = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button variant="default" leftSection={icon} loading={busy} onClick={() => void work()}>
        {label}
      </Button>
      {error && <ErrorBox error={error} {...(errorTitle !== undefined && { title: errorTitle })} />}
    </>
  );
}
