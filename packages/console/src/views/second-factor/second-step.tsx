import { Button, Text } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { t as passkeys } from '../../texts/passkeys.ts';
import { t } from '../../texts/second-factor.ts';
import { Form } from '../../ui/form.tsx';
import { WorkButton } from '../../ui/work-button.tsx';
import { finishWithPasskey } from './passkey-steps.ts';
import { CodeInput } from './set-up-app.tsx';

interface SecondStepProps {
  /** What the refused login has named. */
  readonly challenge: string;
  readonly onDone: (session: SessionRecord) => void;
  readonly onBack: () => void;
}

/** Finishes it with a passkey of the account; nothing where it has none for this page. */
function PasskeyStep({ challenge, onDone }: Omit<SecondStepProps, 'onBack'>) {
  // Asked for before the click: a browser may let a page use a passkey only at once.
  const options = useCall('passkeys.begin', { body: { challenge } }).data?.value.options;
  if (!options || !('PublicKeyCredential' in window)) return null;
  const finish = async (): Promise<void> => onDone(await finishWithPasskey(options, challenge));
  return <WorkButton label={passkeys.usePasskey} run={finish} />;
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
      <PasskeyStep challenge={challenge} onDone={onDone} />
      <CodeInput label={t.codeOrRecovery} value={code} onChange={setCode} />
    </Form>
  );
}
