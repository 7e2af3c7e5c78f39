import { Button, Loader, Menu, Select, Text, TextInput } from '@mantine/core';
import type { AccountRecord, ListedUserRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/administration.ts';
import { common } from '../../texts/common.ts';
import { bindText } from '../../ui/bind-text.ts';
import { confirm } from '../../ui/confirm.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';

interface AboutAccount {
  readonly user: ListedUserRecord;
  readonly onDone: () => void;
}

function ChangeRole({ user, onDone }: AboutAccount) {
  const update = useChange('accounts.update', 'users', 'accounts');
  const [role, setRole] = useState<'user' | 'admin'>(user.role === 'admin' ? 'admin' : 'user');
  const save = async (): Promise<void> => {
    await update.mutateAsync({ params: { user_id: user.id }, body: { role } });
    notify(t.accountIsChanged(user.username));
    onDone();
  };
  return (
    <Form submit={common.save} onSubmit={save}>
      <Select
        label={common.role}
        data={[
          { value: 'user', label: common.user },
          { value: 'admin', label: t.administrator },
        ]}
        allowDeselect={false}
        data-autofocus
        value={role}
        onChange={(value) => setRole(value === 'admin' ? 'admin' : 'user')}
      />
    </Form>
  );
}

function NewPassword({ user, onDone }: AboutAccount) {
  const reset = useChange('accounts.resetPassword', 'users', 'accounts');
  const [password, setPassword] = useState<string>();
  const make = async (): Promise<void> => {
    setPassword((await reset.mutateAsync({ params: { user_id: user.id } })).password);
  };
  return password === undefined ? (
    <Form submit={t.makeNewPassword} onSubmit={make}>
      <Text size="sm">{t.newPasswordEndsSessions}</Text>
    </Form>
  ) : (
    <ShownOnce what={t.thePassword} advice={t.tellItToItsUser} onClose={onDone}>
      <Field label={t.password} value={password} mono />
    </ShownOnce>
  );
}

function EndSessions({ user, onDone }: AboutAccount) {
  const end = useChange('accounts.endSessions', 'users', 'accounts');
  const [which, setWhich] = useState('sessions');
  const save = async (): Promise<void> => {
    const { ended } = await end.mutateAsync({ params: { user_id: user.id }, query: { tokens: which === 'all' } });
    notify(t.ended(ended));
    onDone();
  };
  return (
    <Form submit={t.endThem} onSubmit={save}>
      <Select
        label={t.whatEnds}
        data={[
          { value: 'sessions', label: t.loginsAlone },
          { value: 'all', label: t.loginsAndTokens },
        ]}
        allowDeselect={false}
        data-autofocus
        value={which}
        onChange={(value) => setWhich(value ?? 'sessions')}
      />
    </Form>
  );
}

function DeleteForm({ account, onDone }: { readonly account: AccountRecord; readonly onDone: () => void }) {
  const remove = useChange('accounts.remove', 'users', 'accounts', 'devices', 'products');
  const [heir, setHeir] = useState('');
  const { products, bundles, devices } = account.owns;
  const isEmpty = products + bundles + devices === 0;
  const save = async (): Promise<void> => {
    const query = isEmpty ? {} : { heir: heir.trim() };
    await remove.mutateAsync({ params: { user_id: account.id }, query });
    notify(t.accountIsDeleted(account.username));
    onDone();
  };
  return (
    <Form submit={common.delete} disabled={!isEmpty && heir.trim() === ''} onSubmit={save}>
      <Text size="sm">{isEmpty ? t.accountOwnsNothing : t.accountOwns(products, bundles, devices)}</Text>
      {!isEmpty && (
        <TextInput label={t.heir} description={t.heirGetsAllOfIt} data-autofocus {...bindText(heir, setHeir)} />
      )}
    </Form>
  );
}

function DeleteAccount({ user, onDone }: AboutAccount) {
  const { data } = useCall('accounts.get', { params: { user_id: user.id } });
  return data ? <DeleteForm account={data.value} onDone={onDone} /> : <Loader />;
}

/** What an administrator does with an account. */
export function AccountActions({ user }: { readonly user: ListedUserRecord }) {
  const update = useChange('accounts.update', 'users', 'accounts');
  const reset = useChange('accounts.resetFactors', 'users', 'accounts');
  const { username, disabled_at } = user;
  const open = (title: string, Body: typeof ChangeRole) =>
    openDialog({ title }, (onDone) => <Body user={user} onDone={onDone} />);
  const toggle = (): void =>
    confirm({
      title: disabled_at === null ? t.disableAccount(username) : t.enableAccount(username),
      body: disabled_at === null ? t.disabledKeepsWhatItOwns : t.itsPasswordWorksAgain,
      action: disabled_at === null ? t.disable : t.letIn,
      destructive: disabled_at === null,
      run: () => update.mutateAsync({ params: { user_id: user.id }, body: { disabled: disabled_at === null } }),
      done: t.accountIsChanged(username),
    });
  const forget = (): void =>
    confirm({
      title: t.removeFactorOf(username),
      body: t.passwordAloneThen,
      action: t.removeFactor,
      destructive: true,
      run: () => reset.mutateAsync({ params: { user_id: user.id } }),
      done: t.accountIsChanged(username),
    });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-sm" variant="default" aria-label={t.actionsOf(username)}>
          {common.actions}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => open(t.roleOf(username), ChangeRole)}>{t.changeRole}</Menu.Item>
        <Menu.Item onClick={() => open(t.passwordOf(username), NewPassword)}>{t.newPassword}</Menu.Item>
        <Menu.Item onClick={() => open(t.sessionsOf(username), EndSessions)}>{t.endSessions}</Menu.Item>
        {user.second_factor && <Menu.Item onClick={forget}>{t.removeFactor} …</Menu.Item>}
        <Menu.Item onClick={toggle}>{disabled_at === null ? `${t.disable} …` : `${t.letIn} …`}</Menu.Item>
        <Menu.Item color="red" onClick={() => open(t.deleteAccount(username), DeleteAccount)}>
          {common.delete} …
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
