import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';
import { notifyError } from './notify.ts';

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
}

/** Asks before something happens. What `run` throws is shown. */
export function confirm({ title, body, action, destructive = false, run }: Question): void {
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {body}
      </Text>
    ),
    labels: { confirm: action, cancel: 'Cancel' },
    confirmProps: { color: destructive ? 'red.9' : 'cyan', 'data-autofocus': !destructive },
    cancelProps: { 'data-autofocus': destructive },
    onConfirm: () => void Promise.resolve().then(run).catch(notifyError),
  });
}
