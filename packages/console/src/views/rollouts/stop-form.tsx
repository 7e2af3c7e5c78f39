import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/rollouts.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';

interface StopFormProps {
  /** What will stand still. */
  readonly says: string;
  /** Stops it, for this reason. */
  readonly stop: (reason: string) => Promise<void>;
}

/** Asks for the reason of an emergency stop. */
export function StopForm({ says, stop }: StopFormProps) {
  const [reason, setReason] = useState('');
  return (
    <Form submit={t.stopEverything} onSubmit={() => stop(reason)} disabled={reason.trim() === ''}>
      <Text size="sm">{says}</Text>
      <TextInput
        label={common.why}
        description={common.othersReadIt}
        maxLength={500}
        required
        {...bindText(reason, setReason)}
        data-autofocus
      />
    </Form>
  );
}
