import { Select, TextInput } from '@mantine/core';
import type { FlavorRecord, InitRecord } from '@moorage/api';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { useInit, useIsAdmin, useSession } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/products.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { focusFirst } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { PageLink } from '../../ui/link.tsx';
import { notify } from '../../ui/notify.ts';
import { Empty, ErrorBox, Loading } from '../../ui/states.tsx';
import { fullCode, isCode, suggestCode } from './product-code.ts';

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

/** What is typed into the form; a code that was not typed follows the title. */
function useProductForm(init: InitRecord) {
  const only = init.platforms.length === 1 ? init.platforms[0] : undefined;
  const [title, setTitle] = useState('');
  const [typedCode, setCode] = useState<string>();
  const [platformId, setPlatform] = useState<string | null>(only?.id ?? null);
  const [flavorId, setFlavor] = useState<string | null>(null);
  const code = typedCode ?? suggestCode(title);
  const flavors = flavorsOf(init, platformId);
  return {
    title,
    setTitle,
    code,
    setCode,
    platformId,
    setPlatform(id: string | null) {
      setPlatform(id);
      setFlavor(null);
    },
    flavors,
    // The first flavor of a platform is its base edition, which the service chooses when none is named.
    flavorId: flavorId ?? flavors[0]?.id ?? null,
    setFlavor,
    complete: title.trim() !== '' && isCode(code) && platformId !== null,
  };
}

function CreateProductForm({ init }: { readonly init: InitRecord }) {
  const { username } = useSession();
  const [, navigate] = useLocation();
  const form = useProductForm(init);
  const { title, code, platformId, flavorId, flavors } = form;
  const platform = init.platforms.find(({ id }) => id === platformId);
  const create = async (): Promise<void> => {
    if (platformId === null) return;
    const body = { title: title.trim(), code, meta: '', platform_id: platformId, flavor_id: flavorId };
    const { value } = await call('products.create', { body });
    void renew('products', 'overview');
    notify(t.productIsMade(value.product));
    navigate(`/products/${value.id}/bundles`);
  };
  return (
    <Form submit={t.createProduct} onSubmit={create} disabled={!form.complete}>
      <TextInput
        label={common.title}
        data-autofocus
        ref={focusFirst}
        required
        maxLength={128}
        value={title}
        onChange={(event) => form.setTitle(event.currentTarget.value)}
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
        error={code !== '' && !isCode(code) && t.onlyLettersDigitsAndUp}
        value={code}
        onChange={(event) => form.setCode(event.currentTarget.value)}
      />
      <Select
        label={common.platform}
        description={t.hardwareThatItRunsOn}
        required
        searchable
        data={init.platforms.map(({ id, title: name, code: short }) => ({ value: id, label: `${short} · ${name}` }))}
        value={platformId}
        onChange={form.setPlatform}
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
        value={flavorId}
        onChange={form.setFlavor}
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
