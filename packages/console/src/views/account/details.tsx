import { Avatar, Button, FileButton, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import type { UserRecord } from '@moorage/api';
import { useState } from 'react';
import { addressOf, call, upload } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { Field, Fields } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { formatMoment, msOf } from '../../ui/format.ts';
import { notify, notifyError } from '../../ui/notify.ts';

function Picture({ user }: { readonly user: UserRecord }) {
  const [share, setShare] = useState<number>();
  const set = async (file: File | null): Promise<void> => {
    if (!file) return;
    setShare(0);
    try {
      await upload('avatars.setUser', { params: { user_id: user.id }, body: file }, { onProgress: setShare });
      await renew('users', 'overview');
      notify('Your picture is changed');
    } finally {
      setShare(undefined);
    }
  };
  const params = { user_id: user.id, ...(user.avatar_id && { avatar_id: user.avatar_id }) };
  return (
    <Group>
      <Avatar
        src={addressOf('avatars.user', { params })}
        alt="Your picture"
        size={84}
        radius="xl"
        name={user.username}
      />
      <Stack gap={4}>
        <FileButton
          onChange={(file) => void set(file).catch(notifyError)}
          accept="image/png,image/jpeg,image/gif,image/webp"
        >
          {(props) => (
            <Button {...props} variant="default" size="sm">
              Change the picture
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed">
          PNG, JPEG, GIF or WebP, up to 1 MiB
        </Text>
        {share !== undefined && <Progress value={share * 100} animated aria-label="Upload" />}
      </Stack>
    </Group>
  );
}

const texts = [
  ['name_given', 'Given name', 'given-name', 100],
  ['name_family', 'Family name', 'family-name', 100],
  ['organisation', 'Organisation', 'organization', 200],
] as const;

/** Who somebody is, and their picture. */
export function Details({ user }: { readonly user: UserRecord }) {
  const [values, setValues] = useState({
    email: user.email,
    name_given: user.name_given,
    name_family: user.name_family,
    organisation: user.organisation,
  });
  const save = async (): Promise<void> => {
    await call('users.update', { body: values });
    await renew('users', 'overview');
    notify('Your details are saved');
  };
  return (
    <Stack gap="lg">
      <Picture user={user} />
      <Fields>
        <Field label="User name" value={user.username} mono />
        <Field label="Role" value={user.role} />
        <Field label="Member since" value={formatMoment(msOf(user.created_at))} />
        <Field label="Id" value={user.id} mono />
      </Fields>
      <Stack maw={420}>
        <Form submit="Save" disabled={values.email === ''} onSubmit={save}>
          <TextInput
            label="Email"
            type="email"
            autoComplete="email"
            required
            value={values.email}
            onChange={(event) => setValues({ ...values, email: event.currentTarget.value })}
          />
          {texts.map(([name, label, autoComplete, maxLength]) => (
            <TextInput
              key={name}
              label={label}
              autoComplete={autoComplete}
              maxLength={maxLength}
              value={values[name]}
              onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
            />
          ))}
        </Form>
      </Stack>
    </Stack>
  );
}
