import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { after } from '../browser/time.ts';
import { t } from '../texts/ui.ts';
import { withDialogs } from './dialogs.ts';
import { notify, notifyError } from './notify.ts';

interface Question {
  /** A question: `Delete product "Tide gauge"?` */
  readonly title: string;
  /** What will be lost or will happen, with numbers. */
  readonly body: ReactNode;
  /** The verb on the button: `Delete`. */
  readonly action: string;
  /** Red, for what cannot be undone. */
  readonly destructive?: boolean;
  readonly run: () => unknown;
  /** Said when it is done. */
  readonly done?: string;
}

/** Work that takes longer says that it is going on, in ms. */
const shownAfterMs = 150;

/** Does something, and shows that it is being done for as long as it takes; what it throws is shown. */
async function working(message: string, { run, done }: Pick<Question, 'run' | 'done'>): Promise<void> {
  let id: string | undefined;
  const cancel = after(shownAfterMs, () => {
    id = notifications.show({ message, loading: true, autoClose: false, withCloseButton: false });
  });
  try {
    await run();
    if (done !== undefined) notify(done);
  } catch (error) {
    notifyError(error);
  } finally {
    cancel();
    if (id !== undefined) notifications.hide(id);
  }
}

/** Asks before something happens. What `run` throws is shown. */
export function confirm({ title, body, action, destructive = false, ...work }: Question): void {
  withDialogs(() =>
    modals.openConfirmModal({
      title,
      children: (
        <Text size="sm" component="div">
          {body}
        </Text>
      ),
      // Nothing is typed here that could be lost.
      closeOnClickOutside: true,
      labels: { confirm: action, cancel: t.cancel },
      confirmProps: { color: destructive ? 'red.9' : 'cyan', 'data-autofocus': !destructive },
      cancelProps: { 'data-autofocus': destructive },
      onConfirm: () => void working(`${action} …`, work),
    }),
  );
}
