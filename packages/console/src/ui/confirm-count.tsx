import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../texts/format.ts';
import { t } from '../texts/ui.ts';
import { bindText } from './bind-text.ts';
import { confirm } from './confirm.tsx';
import { openDialog } from './dialogs.ts';
import { Form } from './form.tsx';

/** What cannot be undone is confirmed by a button for so many things, and by their number for more. */
const byButton = 20;

type Question = Omit<Parameters<typeof confirm>[0], 'destructive' | 'done'> & { readonly count: number };

function CountForm({ count, body, action, run, onDone }: Question & { readonly onDone: () => void }) {
  const [typed, type] = useState('');
  const submit = async (): Promise<void> => {
    onDone();
    await run();
  };
  return (
    <Form submit={action} onSubmit={submit} disabled={typed.replaceAll(/\D/g, '') !== String(count)}>
      <Text size="sm" component="div">
        {body}
      </Text>
      <TextInput
        label={t.typeNumber(formatCount(count))}
        inputMode="numeric"
        data-autofocus
        {...bindText(typed, type)}
      />
    </Form>
  );
}

/** Asks before something is lost of many things: of more than a few, their number has to be typed. */
export function confirmCount(question: Question): void {
  const { count, title } = question;
  if (count <= byButton) confirm({ ...question, destructive: true });
  else openDialog({ title }, (close) => <CountForm {...question} onDone={close} />);
}
