import { notifications } from '@mantine/notifications';
import { t } from '../texts/ui.ts';
import { adviceFor, sayError } from './refusals.ts';

/** Says that something was done; it goes by itself. */
export const notify = (message: string): void => void notifications.show({ message, color: 'teal' });

/** Says that something did not work, and what to do about it; it stays long enough to be read. */
export const notifyError = (error: unknown): void =>
  void notifications.show({
    title: t.thisDidNotWork,
    message: error instanceof Error ? `${sayError(error)}. ${adviceFor(error)}` : String(error),
    color: 'red',
    autoClose: 12_000,
    role: 'alert',
  });
