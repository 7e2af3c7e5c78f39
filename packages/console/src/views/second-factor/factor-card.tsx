import { Button, Stack, Text } from '@mantine/core';
import type { SecondFactor } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { formatMoment, msOf } from '../../texts/format.ts';
import { t } from '../../texts/second-factor.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Part } from './part.tsx';
import { Passkeys } from './passkeys.tsx';
import { RecoveryCodes, SetUpApp } from './set-up-app.tsx';

const renewFactors = (): void => void renew('factors', 'session', 'tokens');

const renewed = (close: () => void) => (): void => {
  renewFactors();
  close();
};

const openSetUp = (): void => openDialog({ title: t.setUpApp }, (close) => <SetUpApp onDone={renewed(close)} />);

const askRemove = (): void =>
  confirm({
    title: t.removeApp,
    body: t.withoutIt,
    action: t.remove,
    destructive: true,
    run: async () => {
      await call('factors.removeTotp', {});
      renewFactors();
    },
    done: t.appIsRemoved,
  });

function NewCodes({ onDone }: { readonly onDone: () => void }) {
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) return <RecoveryCodes codes={codes} onClose={onDone} />;
  return (
    <Form
      submit={t.makeCodes}
      onSubmit={async () => setCodes((await call('factors.renewCodes', {})).value.recovery_codes)}
    >
      <Text size="sm">{t.oldCodesStop}</Text>
    </Form>
  );
}

const openCodes = (): void => openDialog({ title: t.recoveryCodes }, (close) => <NewCodes onDone={renewed(close)} />);

const Parts = ({ totp, passkeys, recovery_codes }: SecondFactor) => (
  <Stack>
    <Text size="sm">{t.passwordAlone}</Text>
    <Part title={t.appWithCodes} state={totp ? t.setUpSince(formatMoment(msOf(totp.created_at))) : t.notSetUp}>
      <Button size="compact-sm" variant="default" onClick={openSetUp}>
        {totp ? t.setUpAnotherApp : t.setUpApp}
      </Button>
      {totp && (
        <Button size="compact-sm" variant="default" onClick={askRemove}>
          {t.removeApp}
        </Button>
      )}
    </Part>
    <Passkeys />
    {(totp || passkeys > 0) && (
      <Part title={t.recoveryCodes} state={t.codesLeft(recovery_codes)}>
        <Button size="compact-sm" variant="default" onClick={openCodes}>
          {t.makeCodes}
        </Button>
      </Part>
    )}
  </Stack>
);

/** The second factor of one's own account. */
export default function FactorCard() {
  const query = useCall('factors.get', {});
  return (
    <Card title={t.secondFactor}>
      <Loaded query={query}>{({ value }) => <Parts {...value} />}</Loaded>
    </Card>
  );
}
