import { Button, Text } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { t } from '../../texts/second-factor.ts';
import { Form } from '../../ui/form.tsx';
import { CodeInput } from './set-up-app.tsx';

interface SecondStepProps {
  /** What the refused login has named. */
  readonly challenge: string;
  readonly onDone: (session: SessionRecord) => void;
  readonly onBack: () => void;
}

/** Finishes a login whose password was right. */
export default function SecondStep({ challenge, onDone, onBack }: SecondStepProps) {
  const [code, setCode] = useState('');
  const finish = async (): Promise<void> => {
    onDone((await call('factors.open', { body: { challenge, code: code.trim() } })).value);
  };
  return (
    <Form
      submit={t.finish}
      disabled={code.trim().length < 6}
      onSubmit={finish}
      more={
        <Button variant="subtle" onClick={onBack}>
          {t.begin}
        </Button>
      }
    >
      <Text size="sm">{t.accountHasOne}</Text>
      <CodeInput label={t.codeOrRecovery} value={code} onChange={setCode} />
    </Form>
  );
}
