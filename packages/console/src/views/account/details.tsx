import { Avatar, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { UserRecord } from '@moorage/api';
import { useState } from 'react';
import { addressOf, call, upload } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { formatMoment, msOf } from '../../ui/format.ts';
import { notify } from '../../ui/notify.ts';
import { ChangePicture } from '../../ui/picture.tsx';

function Picture({ user }: { readonly user: UserRecord }) {
  const params = { user_id: user.id, ...(user.avatar_id && { avatar_id: user.avatar_id }) };
  const send = async (body: File, onProgress: (share: number) => void): Promise<void> => {
    await upload('avatars.setUser', { params: { user_id: user.id }, body }, { onProgress });
    await renew('users', 'overview');
    notify('Your picture is changed');
  };
  return (
    <Group>
      <Avatar
        src={addressOf('avatars.user', { params })}
        alt="Your picture"
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
  ['name_given', 'Given name', 'given-name', 100],
  ['name_family', 'Family name', 'family-name', 100],
  ['organisation', 'Organisation', 'organization', 200],
] as const;

type Values = Pick<UserRecord, 'email' | 'name_given' | 'name_family' | 'organisation'>;

/** The details as they are typed; untouched fields follow the record, also while it changes elsewhere. */
function DetailsForm({ user }: { readonly user: UserRecord }) {
  const [edits, setEdits] = useState<Partial<Values>>({});
  const { email, name_given, name_family, organisation } = user;
  const values: Values = { email, name_given, name_family, organisation, ...edits };
  const dirty = texts.some(([name]) => values[name] !== user[name]) || values.email !== email;
  const set = (name: keyof Values) => (event: { readonly currentTarget: { readonly value: string } }) => {
    const { value } = event.currentTarget;
    setEdits((old) => ({ ...old, [name]: value }));
  };
  const save = async (): Promise<void> => {
    await call('users.update', { body: values });
    await renew('users', 'overview');
    setEdits({});
    notify('Your details are saved');
  };
  return (
    <Form submit="Save" disabled={!dirty || !isEmail(values.email)} onSubmit={save}>
      <TextInput
        label="Email"
        description="You can sign in with it"
        type="email"
        autoComplete="email"
        required
        maxLength={254}
        error={values.email !== '' && !isEmail(values.email) && 'An email address looks like name@example.com'}
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

/** Name, address and picture of the user. */
export const Details = ({ user }: { readonly user: UserRecord }) => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
    <Card title="Who you are">
      <Stack gap="lg">
        <Picture user={user} />
        <Fields stacked>
          <Field label="User name" value={user.username} mono />
          <Field label="Role">{user.role}</Field>
          <Field label="Member since">{formatMoment(msOf(user.created_at))}</Field>
          <Field label="Id" value={user.id} mono />
        </Fields>
      </Stack>
    </Card>
    <Card title="Details">
      <DetailsForm user={user} />
    </Card>
  </SimpleGrid>
);
