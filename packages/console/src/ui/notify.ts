import { notifications } from '@mantine/notifications';

/** Says that something was done; it goes by itself. */
export const notify = (message: string): void => void notifications.show({ message, color: 'teal' });

/** Says that something did not work; it stays long enough to be read. */
export const notifyError = (error: unknown): void =>
  void notifications.show({
    title: 'This did not work',
    message: error instanceof Error ? error.message : String(error),
    color: 'red',
    autoClose: 12_000,
    role: 'alert',
  });
