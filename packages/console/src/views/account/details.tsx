import { Avatar, Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { OwnUserRecord } from '@moorage/api';
import { useState } from 'react';
import { addressOf, call, upload } from '../../api/client.ts';
import { renew, useCall, useEdit } from '../../api/queries.ts';
import { t } from '../../texts/account.ts';
import { common } from '../../texts/common.ts';
import { formatMoment, msOf } from '../../texts/format.ts';
import { stateName } from '../../texts/states.ts';
import { Card } from '../../ui/card.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { ChangePicture } from '../../ui/picture.tsx';
import { LanguageChoice } from './language.tsx';

function Picture({ user }: { readonly user: OwnUserRecord }) {
  const params = { user_id: user.id, ...(user.avatar_id && { avatar_id: user.avatar_id }) };
  const send = async (body: File, onProgress: (share: number) => void): Promise<void> => {
    await upload('avatars.setUser', { params: { user_id: user.id }, body }, { onProgress });
    await renew('users', 'overview');
    notify(t.yourPictureIsChanged);
  };
  return (
    <Group>
      <Avatar
        src={addressOf('avatars.user', { params })}
        alt={t.yourPicture}
        size={84}
        radius={84}
        name={user.username}
      />
      <ChangePicture send={send} />
    </Group>
  );
}

/** What may be in front of and behind the "@" of an email address, as the service takes it. */
const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text);

const texts = [
  ['name_given', t.givenName, 'given-name', 100],
  ['name_family', t.familyName, 'family-name', 100],
  ['organisation', t.organisation, 'organization', 200],
] as const;

type Values = Pick<OwnUserRecord, 'email' | 'name_given' | 'name_family' | 'organisation'>;

/** The details as they are typed; untouched fields follow the record, also while it changes elsewhere. */
function DetailsForm({ user }: { readonly user: OwnUserRecord }) {
  const [edits, setEdits] = useState<Partial<Values>>({});
  const { email, name_given, name_family, organisation } = user;
  const values: Values = { email, name_given, name_family, organisation, ...edits };
  const dirty = texts.some(([name]) => values[name] !== user[name]) || values.email !== email;
  const update = useEdit('users.update', ['users.get', {}], { isTouched: dirty, renews: ['overview'] });
  const set = (name: keyof Values) => (event: { readonly currentTarget: { readonly value: string } }) => {
    const { value } = event.currentTarget;
    setEdits((old) => ({ ...old, [name]: value }));
  };
  const save = async (): Promise<void> => {
    const { email_pending: pending } = await update({ body: values });
    setEdits({});
    notify(pending === null || pending !== values.email ? t.yourDetailsAreSaved : t.lookIntoMailOf(pending));
  };
  return (
    <Form submit={common.save} disabled={!dirty || !isEmail(values.email)} onSubmit={save}>
      <TextInput
        label={common.email}
        description={t.youCanSignInWith}
        type="email"
        autoComplete="email"
        required
        maxLength={254}
        error={values.email !== '' && !isEmail(values.email) && t.emailAddressLooksLikeName}
        value={values.email}
        onChange={set('email')}
      />
      {texts.map(([name, label, autoComplete, maxLength]) => (
        <TextInput
          key={name}
          label={label}
          autoComplete={autoComplete}
          maxLength={maxLength}
          value={values[name]}
          onChange={set(name)}
        />
      ))}
    </Form>
  );
}

/** Whether mails to the address reach the user, where the service sends any. */
function Confirmed({ user: { email_confirmed_at, email_pending } }: { readonly user: OwnUserRecord }) {
  const sendsMail = useCall('auth.policy', {}).data?.value.mail === true;
  if (email_pending !== null) return <Field label={t.confirmed}>{t.waitsFor(email_pending)}</Field>;
  if (email_confirmed_at !== null) return <Field label={t.confirmed}>{formatMoment(msOf(email_confirmed_at))}</Field>;
  if (!sendsMail) return null;
  const ask = async (): Promise<void> => {
    await call('links.askConfirmation', {});
    notify(t.linkIsOnItsWay);
  };
  return (
    <Field label={t.confirmed}>
      <Group gap="xs">
        {t.notYet}
        <Button size="compact-sm" variant="default" onClick={() => void ask().catch(notifyError)}>
          {t.mailAgain}
        </Button>
      </Group>
    </Field>
  );
}

/** Name, address and picture of the user. */
export const Details = ({ user }: { readonly user: OwnUserRecord }) => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
    <Card title={t.whoYouAre}>
      <Stack gap="lg">
        <Picture user={user} />
        <Fields stacked>
          <Field label={t.userName} value={user.username} mono />
          <Field label={common.role}>{stateName(user.role)}</Field>
          <Confirmed user={user} />
          <Field label={t.memberSince}>{formatMoment(msOf(user.created_at))}</Field>
          <Field label={common.id} value={user.id} mono />
        </Fields>
      </Stack>
    </Card>
    <Stack gap="md">
      <Card title={t.details}>
        <DetailsForm user={user} />
      </Card>
      <LanguageChoice />
    </Stack>
  </SimpleGrid>
);
