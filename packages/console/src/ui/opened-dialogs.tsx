import { ModalsProvider } from '@mantine/modals';
import { useEffect, useState } from 'react';
import { common } from '../texts/common.ts';
import { Dialog } from './dialog.tsx';
import { closeDialog, dialogsAreThere, type Opened, useDialogs } from './dialogs.ts';

function OpenedDialog({ dialog: { id, body, opened, ...frame } }: { readonly dialog: Opened }) {
  // Opened after it is there: only then it gives the focus back to what had it.
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return (
    <Dialog {...frame} opened={ready && opened} onClose={() => closeDialog(id)}>
      {body(() => closeDialog(id))}
    </Dialog>
  );
}

/** The place of the dialogues that events have opened, and of questions. */
export default function Dialogs() {
  const { dialogs } = useDialogs();
  useEffect(dialogsAreThere, []);
  return (
    <ModalsProvider modalProps={{ closeButtonProps: { 'aria-label': common.close }, closeOnClickOutside: false }}>
      {dialogs.map((dialog) => (
        <OpenedDialog key={dialog.id} dialog={dialog} />
      ))}
    </ModalsProvider>
  );
}
