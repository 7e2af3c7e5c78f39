import { Anchor, Checkbox, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { CatalogueAccess } from '@moorage/api';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/platforms.ts';
import { openDialog } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';

/** A platform, or an edition of one. */
interface Thing {
  readonly kind: 'platform' | 'edition';
  readonly id: string;
}

const linesOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);

/** For whom, in a few words. */
function inWords({ restricted, users, customers }: CatalogueAccess): string {
  if (!restricted) return t.everybody;
  const names = [...users.map(({ user }) => user), ...customers.map(({ customer }) => t.peopleOf(customer))];
  return names.length === 0 ? t.administratorsAlone : names.join(', ');
}

interface FormProps {
  readonly access: CatalogueAccess;
  readonly thing: Thing;
  readonly onDone: () => void;
}

function AccessForm({ access, thing: { kind, id }, onDone }: FormProps) {
  const form = useForm({
    initialValues: {
      restricted: access.restricted,
      users: access.users.map(({ user }) => user).join('\n'),
      customers: access.customers.map(({ customer }) => customer).join('\n'),
    },
  });
  const { restricted, users, customers } = form.values;
  const save = async (): Promise<void> => {
    const body = { restricted, users: linesOf(users), customers: linesOf(customers) };
    if (kind === 'platform') await call('platforms.setAccess', { params: { platform_id: id }, body });
    else await call('platforms.setFlavorAccess', { params: { flavor_id: id }, body });
    await renew('platforms', 'overview');
    notify(t.itIsChangedForWhom);
    onDone();
  };
  return (
    <Form submit={common.save} onSubmit={save} fields={form}>
      <Checkbox
        label={t.forThoseNamedHereAlone}
        description={t.othersDoNotSeeIt}
        {...form.getInputProps('restricted', { type: 'checkbox' })}
      />
      <Textarea
        label={t.users}
        description={t.emailAddressesOrUserNames}
        autosize
        minRows={2}
        disabled={!restricted}
        {...form.getInputProps('users')}
      />
      <Textarea
        label={t.customers}
        description={t.namesOfCustomersOneLine}
        autosize
        minRows={1}
        disabled={!restricted}
        {...form.getInputProps('customers')}
      />
    </Form>
  );
}

/** For whom a platform or edition is, and the way to change it; administrators see it. */
export function Access({ kind, id, title }: Thing & { readonly title: string }) {
  const isPlatform = kind === 'platform';
  const platform = useCall('platforms.access', { params: { platform_id: id } }, { enabled: isPlatform });
  const edition = useCall('platforms.flavorAccess', { params: { flavor_id: id } }, { enabled: !isPlatform });
  const access = (isPlatform ? platform : edition).data?.value;
  if (!access) return <Text size="sm">…</Text>;
  const change = () =>
    openDialog({ title: t.forWhom(title) }, (onDone) => (
      <AccessForm access={access} thing={{ kind, id }} onDone={onDone} />
    ));
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      onClick={change}
      aria-label={t.isForChange(title, inWords(access))}
    >
      {inWords(access)}
    </Anchor>
  );
}
