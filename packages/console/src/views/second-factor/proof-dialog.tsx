import { Modal, PasswordInput, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t as passkeys } from '../../texts/passkeys.ts';
import { t } from '../../texts/second-factor.ts';
import { t as signIn } from '../../texts/sign-in.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';
import { pageHasPasskeys } from '../../ui/passkeys.ts';
import { WorkButton } from '../../ui/work-button.tsx';
import { proveByPasskey } from './passkey-steps.ts';
import { CodeInput } from './set-up-app.tsx';

interface ProofDialogProps {
  /** Told whether the user has shown it. */
  readonly onDone: (isShown: boolean) => void;
}

/** Asks who is there once more, before an account is changed by which it could be taken. */
export default function ProofDialog({ onDone }: ProofDialogProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const factors = useCall('factors.get', {}).data?.value;
  const address = useCall('auth.policy', {}).data?.value.passkeys;
  const hasCodes = factors !== undefined && (factors.totp !== null || factors.recovery_codes > 0);
  const show = async (): Promise<void> => {
    const body = password === '' ? { code: code.trim() } : { current_password: password };
    await call('proof.show', { body });
    onDone(true);
  };
  const showPasskey = async (): Promise<void> => {
    await proveByPasskey();
    onDone(true);
  };
  return (
    <Modal
      opened
      title={t.showWhoYouAre}
      onClose={() => onDone(false)}
      closeButtonProps={{ 'aria-label': common.close }}
      // Over the dialogue whose change wants it.
      zIndex={900}
    >
      <Form submit={t.goOn} disabled={password === '' && code.trim().length < 6} onSubmit={show}>
        <Text size="sm">{t.accountCouldBeTaken}</Text>
        {pageHasPasskeys(address) && (factors?.passkeys ?? 0) > 0 && (
          <WorkButton label={passkeys.usePasskey} run={showPasskey} />
        )}
        <PasswordInput
          label={signIn.currentPassword}
          autoComplete="current-password"
          data-autofocus
          {...bindText(password, setPassword)}
        />
        {hasCodes && <CodeInput label={t.orCode} value={code} onChange={setCode} isFirst={false} />}
      </Form>
    </Modal>
  );
}
