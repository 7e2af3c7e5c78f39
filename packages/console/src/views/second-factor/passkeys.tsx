import { Button, Stack, Text } from '@mantine/core';
import type { PasskeyRecord } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { formatMoment, msOf } from '../../texts/format.ts';
import { t } from '../../texts/passkeys.ts';
import { t as factor } from '../../texts/second-factor.ts';
import { confirm } from '../../ui/confirm.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { pageHasPasskeys } from '../../ui/passkeys.ts';
import { Loaded } from '../../ui/states.tsx';
import { AddPasskey, PasskeyName } from './add-passkey.tsx';
import { Part } from './part.tsx';

const renewed = (close: () => void, said?: string): void => {
  void renew('factors', 'passkeys', 'session', 'tokens');
  close();
  if (said !== undefined) notify(said);
};

const openAdd = (count: number): void =>
  openDialog({ title: t.addPasskey }, (close) => (
    <AddPasskey count={count} onDone={() => renewed(close, t.passkeyIsAdded)} />
  ));

function Rename({ passkey, onDone }: { readonly passkey: PasskeyRecord; readonly onDone: () => void }) {
  const [title, setTitle] = useState(passkey.title);
  const rename = async (): Promise<void> => {
    await call('passkeys.rename', { params: { passkey_id: passkey.id }, body: { title } });
    onDone();
  };
  return (
    <Form submit={t.rename} disabled={title.trim() === ''} onSubmit={rename}>
      <PasskeyName value={title} onChange={setTitle} />
    </Form>
  );
}

const openRename = (passkey: PasskeyRecord): void =>
  openDialog({ title: t.renameOne(passkey.title) }, (close) => (
    <Rename passkey={passkey} onDone={() => renewed(close)} />
  ));

const askRemove = ({ id, title }: PasskeyRecord): void =>
  confirm({
    title: t.removeOne(title),
    body: factor.withoutIt,
    action: t.remove,
    destructive: true,
    run: async () => {
      await call('passkeys.remove', { params: { passkey_id: id } });
      renewed(() => undefined, t.passkeyIsRemoved);
    },
  });

/** What is known of a passkey: when it was made and used last. */
const stateOf = ({ created_at, last_used_at }: PasskeyRecord): string => {
  const used = last_used_at === null ? t.neverUsed : t.lastUsed(formatMoment(msOf(last_used_at)));
  return `${t.made(formatMoment(msOf(created_at)))}, ${used}`;
};

/** Why none can be made on this page. */
function whyNone(address: string | null): string {
  if (address === null) return t.addressHasNone;
  return address === window.location.origin ? t.browserHasNone : t.onlyAt(address);
}

const List = ({ passkeys }: { readonly passkeys: readonly PasskeyRecord[] }) => {
  const address = useCall('auth.policy', {}).data?.value.passkeys;
  return (
    <Stack gap="sm">
      <Part title={t.passkeys} state={t.whatTheyAre}>
        {pageHasPasskeys(address) && (
          <Button size="compact-sm" variant="default" onClick={() => openAdd(passkeys.length)}>
            {t.addPasskey}
          </Button>
        )}
      </Part>
      {address !== undefined && !pageHasPasskeys(address) && <Text size="sm">{whyNone(address)}</Text>}
      {passkeys.map((passkey) => (
        <Part key={passkey.id} title={passkey.title} state={stateOf(passkey)}>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t.renameOne(passkey.title)}
            onClick={() => openRename(passkey)}
          >
            {t.rename}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t.removeOne(passkey.title)}
            onClick={() => askRemove(passkey)}
          >
            {t.remove}
          </Button>
        </Part>
      ))}
    </Stack>
  );
};

/** The passkeys of one's own account. */
export function Passkeys() {
  const query = useCall('passkeys.list', {});
  return <Loaded query={query}>{({ value }) => <List passkeys={value} />}</Loaded>;
}
