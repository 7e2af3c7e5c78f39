import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { FlavorRecord, InitRecord } from '@moorage/api';
import { useLocation } from 'wouter';
import { call } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { useInit, useIsAdmin, useSession } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/products.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { focusFirst } from '../../ui/dialogs.ts';
import { needed } from '../../ui/field-errors.ts';
import { Form } from '../../ui/form.tsx';
import { PageLink } from '../../ui/link.tsx';
import { notify } from '../../ui/notify.ts';
import { Empty, ErrorBox, Loading } from '../../ui/states.tsx';
import { fullCode, isCode, suggestCode } from '../product/product-code.ts';

function NoPlatform() {
  const admin = useIsAdmin();
  return (
    <Empty title={t.thereIsNoPlatformYet} action={<PageLink href="/platforms">{t.toPlatforms}</PageLink>}>
      {t.productIsForOneKind(admin ? t.addPlatformFirstWithFlavor : t.administratorHasToAddOne)}
    </Empty>
  );
}

const flavorsOf = (init: InitRecord, platformId: string | null): readonly FlavorRecord[] => {
  const ids = init.platforms.find(({ id }) => id === platformId)?.flavor_ids ?? [];
  return ids.flatMap((id) => init.flavors.find((flavor) => flavor.id === id) ?? []);
};

function CreateProductForm({ init }: { readonly init: InitRecord }) {
  const { username } = useSession();
  const [, navigate] = useLocation();
  const [first, ...others] = init.platforms;
  const form = useForm({
    initialValues: {
      title: '',
      // A code that was not typed follows the title.
      code: undefined as string | undefined,
      platform_id: others.length === 0 && first ? first.id : null,
      flavor_id: null as string | null,
    },
    validateInputOnChange: true,
    validate: {
      title: needed,
      code: (code, { title }) => (isCode(code ?? suggestCode(title)) ? null : t.onlyLettersDigitsAndUp),
      platform_id: needed,
    },
  });
  const { title, platform_id } = form.values;
  const code = form.values.code ?? suggestCode(title);
  const flavors = flavorsOf(init, platform_id);
  // The first flavor of a platform is its base edition, which the service chooses when none is named.
  const flavor_id = form.values.flavor_id ?? flavors[0]?.id ?? null;
  const platform = init.platforms.find(({ id }) => id === platform_id);
  const create = async (): Promise<void> => {
    if (platform_id === null) return;
    const { value } = await call('products.create', {
      body: { title: title.trim(), code, meta: '', platform_id, flavor_id },
    });
    void renew('products', 'overview');
    notify(t.productIsMade(value.product));
    navigate(`/products/${value.id}/bundles`);
  };
  return (
    <Form submit={t.createProduct} onSubmit={create} fields={form} disabled={!form.isValid()}>
      <TextInput
        label={common.title}
        data-autofocus
        ref={focusFirst}
        required
        maxLength={128}
        {...form.getInputProps('title')}
      />
      <TextInput
        label={common.code}
        required
        maxLength={64}
        description={
          platform && isCode(code)
            ? t.devicesNameProductThisNever(fullCode(username, platform.code, code))
            : t.lettersDigitsAndItNever
        }
        {...form.getInputProps('code')}
        value={code}
      />
      <Select
        label={common.platform}
        description={t.hardwareThatItRunsOn}
        required
        searchable
        data={init.platforms.map(({ id, title: name, code: short }) => ({ value: id, label: `${short} · ${name}` }))}
        {...form.getInputProps('platform_id')}
        onChange={(id) => form.setValues({ platform_id: id, flavor_id: null })}
      />
      <Select
        label={common.edition}
        description={t.kindOfFirmwareWithoutChoice}
        data={flavors.map(({ id, title: name, code: short }) => ({
          value: id,
          label: name ? `${short} · ${name}` : short,
        }))}
        disabled={flavors.length === 0}
        allowDeselect={false}
        {...form.getInputProps('flavor_id')}
        value={flavor_id}
      />
    </Form>
  );
}

function CreateProductContent() {
  const { init, error, refetch } = useInit();
  if (error && !init) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (!init) return <Loading />;
  return init.platforms.length === 0 ? <NoPlatform /> : <CreateProductForm init={init} />;
}

interface CreateProductProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The dialogue that makes a product, and goes to it. */
export const CreateProduct = ({ opened, onClose }: CreateProductProps) => (
  <Dialog title={t.createAProduct} opened={opened} onClose={onClose}>
    <CreateProductContent />
  </Dialog>
);
