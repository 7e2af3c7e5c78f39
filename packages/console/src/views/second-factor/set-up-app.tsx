import { Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../../api/client.ts';
import { t } from '../../texts/second-factor.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Field, Fields } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';

/** Recovery codes, this once. */
export const RecoveryCodes = ({
  codes,
  onClose,
}: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}) => (
  <ShownOnce what={t.theRecoveryCodes} advice={t.keepThem} onClose={onClose}>
    <Field label={t.recoveryCodes} value={codes.join('\n')}>
      <Text ff="monospace" size="sm" style={{ whiteSpace: 'pre' }}>
        {codes.join('\n')}
      </Text>
    </Field>
  </ShownOnce>
);

/** One field for a code, as apps and browsers fill it in. */
export function CodeInput({
  label,
  value,
  onChange,
  isFirst = true,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (code: string) => void;
  /** What is typed goes here. */
  readonly isFirst?: boolean;
}): ReactNode {
  return (
    <TextInput
      label={label}
      autoComplete="one-time-code"
      maxLength={40}
      data-autofocus={isFirst}
      autoFocus={isFirst}
      required={isFirst}
      {...bindText(value, onChange)}
    />
  );
}

/** Sets up an app that shows codes, step by step. */
export function SetUpApp({ onDone }: { readonly onDone: () => void }) {
  const [made, setMade] = useState<{ readonly secret: string; readonly url: string }>();
  const [code, setCode] = useState('');
  const [recovery, setRecovery] = useState<readonly string[]>();
  if (!made) {
    return (
      <Form submit={t.goOn} onSubmit={async () => setMade((await call('factors.setUpTotp', {})).value)}>
        <Text size="sm">{t.appIsNeeded}</Text>
      </Form>
    );
  }
  if (recovery) return <RecoveryCodes codes={recovery} onClose={onDone} />;
  const confirm = async (): Promise<void> => {
    const { value } = await call('factors.confirmTotp', { body: { code: code.trim() } });
    if (value.recovery_codes.length === 0) onDone();
    else setRecovery(value.recovery_codes);
  };
  return (
    <Form submit={t.confirmApp} disabled={code.trim().length < 6} onSubmit={confirm}>
      <Stack gap="sm">
        <Text size="sm">{t.scanThis}</Text>
        <Group justify="center">
          <QrCode text={made.url} label={t.codeForApp} size={200} />
        </Group>
        <Fields stacked>
          <Field label={t.secret} value={made.secret} mono />
        </Fields>
        <CodeInput label={t.codeOfApp} value={code} onChange={setCode} />
      </Stack>
    </Form>
  );
}
