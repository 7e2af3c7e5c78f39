import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../texts/passkeys.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';
import { addPasskey } from './passkey-steps.ts';
import { RecoveryCodes } from './set-up-app.tsx';

interface PasskeyNameProps {
  readonly value: string;
  readonly onChange: (title: string) => void;
}

/** What people call a passkey. */
export const PasskeyName = ({ value, onChange }: PasskeyNameProps) => (
  <TextInput
    label={t.name}
    description={t.nameTellsThemApart}
    maxLength={100}
    required
    {...bindText(value, onChange)}
  />
);

interface AddPasskeyProps {
  /** How many there are. */
  readonly count: number;
  readonly onDone: () => void;
}

/** Adds a passkey; with the first factor come recovery codes. */
export function AddPasskey({ count, onDone }: AddPasskeyProps) {
  const [title, setTitle] = useState(t.nameOf(count + 1));
  const [recovery, setRecovery] = useState<readonly string[]>();
  if (recovery) return <RecoveryCodes codes={recovery} onClose={onDone} />;
  const add = async (): Promise<void> => {
    const codes = await addPasskey(title);
    if (codes.length === 0) onDone();
    else setRecovery(codes);
  };
  return (
    <Form submit={t.addPasskey} disabled={title.trim() === ''} onSubmit={add}>
      <PasskeyName value={title} onChange={setTitle} />
    </Form>
  );
}
