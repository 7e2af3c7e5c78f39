import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { FirmwareRecord, ProductRecord } from '@moorage/api';
import { useLocation } from 'wouter';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/bundles.ts';
import { common } from '../../texts/common.ts';
import { formatMoment, msOf } from '../../texts/format.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { focusFirst } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { PageLink } from '../../ui/link.tsx';
import { notify } from '../../ui/notify.ts';
import { Empty, ErrorBox, Loading } from '../../ui/states.tsx';
import { nextVersion, readVersion } from './versions.ts';

interface CreateBundleProps {
  readonly product: ProductRecord;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The firmware that fits a product, newest first, and the version that its next bundle gets. */
function useChoices({ id, platform_id, flavor_id }: ProductRecord) {
  const platform = useCall('platforms.get', { params: { platform_id } });
  const highest = useCall('bundles.list', { params: { product_id: id }, query: { sort: '-version', limit: 1 } });
  const firmwares = platform.data?.value.firmwares.filter(
    (firmware) => flavor_id === null || firmware.flavor_id === flavor_id,
  );
  return {
    firmwares,
    next: highest.data && nextVersion(highest.data.value[0]?.version),
    loaded: platform.data !== undefined && highest.data !== undefined,
    error: platform.error ?? highest.error,
  };
}

interface FormProps extends Omit<CreateBundleProps, 'opened'> {
  readonly firmwares: readonly FirmwareRecord[];
  /** Undefined when the highest version has no successor. */
  readonly next: string | undefined;
}

function CreateBundleForm({ product, firmwares, next, onClose }: FormProps) {
  const [, navigate] = useLocation();
  const create = useChange('bundles.create', 'bundles', 'products', 'overview');
  const form = useForm({
    initialValues: { firmware_id: firmwares[0]?.id ?? '', version: next ?? '' },
    validateInputOnChange: true,
    validate: {
      version: (version) => (version.trim() === '' || readVersion(version) ? null : t.versionIsFourNumbersWith),
    },
  });
  const submit = async (): Promise<void> => {
    const { firmware_id, version } = form.values;
    const body = { product_id: product.id, firmware_id, version: version.trim() || null };
    const made = await create.mutateAsync({ params: { product_id: product.id }, body });
    notify(t.bundleIsMade(made.version));
    onClose();
    navigate(`/bundles/${made.id}`);
  };
  return (
    <Form submit={t.createTheBundle} onSubmit={submit} disabled={!form.isValid()} fields={form}>
      <Select
        label={common.firmware}
        description={t.ofProductsPlatformAndEdition}
        required
        searchable
        allowDeselect={false}
        data={firmwares.map(({ id, label, version: number, created_at }) => ({
          value: id,
          label: `${label} ${number} · ${formatMoment(msOf(created_at))}`,
        }))}
        {...form.getInputProps('firmware_id')}
      />
      <TextInput
        ref={focusFirst}
        label={common.version}
        description={next === undefined ? t.fourNumbersHighestVersionHas : t.fourNumbersComesNext(next)}
        placeholder={next}
        {...form.getInputProps('version')}
      />
    </Form>
  );
}

function Content({ product, onClose }: Omit<CreateBundleProps, 'opened'>) {
  const { firmwares, next, loaded, error } = useChoices(product);
  if (error) return <ErrorBox error={error} />;
  if (!loaded || !firmwares) return <Loading />;
  if (firmwares.length === 0) {
    return (
      <Empty
        title={t.thereIsNoFirmwareFor(product.platform, product.flavor ?? '')}
        action={<PageLink href={`/platforms/${product.platform_id}`}>{t.toPlatform}</PageLink>}
      >
        {t.bundleIsFirmwareAndFiles}
      </Empty>
    );
  }
  return <CreateBundleForm product={product} firmwares={firmwares} next={next} onClose={onClose} />;
}

/** The dialogue that makes a bundle, and goes to it. */
export const CreateBundle = ({ opened, ...props }: CreateBundleProps) => (
  <Dialog title={t.createBundle} opened={opened} onClose={props.onClose}>
    <Content {...props} />
  </Dialog>
);
