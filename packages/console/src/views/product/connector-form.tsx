import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  Input,
  MultiSelect,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type ConnectorRecord, type ConnectorType, connectorTypes, sayPattern } from '@moorage/api';
import { IconTrash } from '@tabler/icons-react';
import { useChange, useEdit } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/connectors.ts';
import { needed } from '../../ui/field-errors.ts';
import { Form } from '../../ui/form.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { sayProblem } from '../../ui/refusals.ts';
import {
  fieldsOf,
  type HeaderRow,
  isComplete,
  isMisshapen,
  type OptionField,
  type OptionValues,
  optionsFrom,
  valuesOf,
} from './connector-fields.ts';
import { isCode, suggestCode } from './product-code.ts';

/** What is typed; the options of each type are kept while one looks at the other. */
interface Typed {
  title: string;
  /** One that was not typed follows the title. */
  code: string | undefined;
  type: ConnectorType;
  opts: OptionValues;
}

interface OptionProps {
  readonly field: OptionField;
  readonly form: UseFormReturnType<Typed>;
}

function Headers({ field: { label, help }, form }: OptionProps) {
  const path = 'opts.headers';
  const rows = (form.values.opts.headers ?? []) as readonly HeaderRow[];
  return (
    <Fieldset legend={label} p="sm">
      <Stack gap="xs">
        {rows.map((_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name while they are typed
          <Group key={i} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={t.nameOfHeader(i + 1)}
              placeholder={common.name}
              flex={1}
              {...form.getInputProps(`${path}.${i}.name`)}
            />
            <TextInput
              aria-label={t.valueOfHeader(i + 1)}
              placeholder={common.value}
              flex={1}
              {...form.getInputProps(`${path}.${i}.value`)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.removeHeader(i + 1)}
              onClick={() => form.removeListItem(path, i)}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group gap="sm">
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => form.insertListItem(path, { name: '', value: '' })}
          >
            {t.addHeader}
          </Button>
          <Muted small>{help}</Muted>
        </Group>
        {form.errors[path] && <Input.Error>{form.errors[path]}</Input.Error>}
      </Stack>
    </Fieldset>
  );
}

/** The input of one option, as its schema wants it. */
function OptionInput({ field, form }: OptionProps) {
  const { kind, label, help, required, choices, min, max, maxLength, name, placeholder } = field;
  const { value, error, ...input } = form.getInputProps(`opts.${name}`);
  const shown = { label, description: help, required, placeholder, error, ...input };
  const problem = isMisshapen(field, value) && t.misshapen(sayProblem(sayPattern(field.pattern ?? '')));
  const text = {
    ...shown,
    error: error ?? problem,
    ...(maxLength !== undefined && { maxLength }),
    value: value ?? '',
  };
  if (kind === 'headers') return <Headers field={field} form={form} />;
  if (kind === 'events') {
    const chosen = value ?? [];
    return (
      <MultiSelect
        {...shown}
        placeholder={chosen.length === 0 ? t.none : ''}
        data={[...choices]}
        value={chosen}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t.clear(label) }}
      />
    );
  }
  if (kind === 'number') {
    const limits = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
    return <NumberInput {...shown} {...limits} allowDecimal={false} value={value ?? ''} />;
  }
  if (kind === 'switch')
    return <Switch label={label} description={help} error={error} {...input} checked={value === true} />;
  if (kind === 'choice') {
    return <Select {...shown} data={[...choices]} value={value ?? placeholder ?? null} allowDeselect={false} />;
  }
  if (kind === 'secret') return <PasswordInput {...text} autoComplete="new-password" />;
  return kind === 'long' ? <Textarea {...text} autosize minRows={3} maxRows={10} /> : <TextInput {...text} />;
}

const typeLabels: Readonly<Record<ConnectorType, string>> = {
  webhook: t.webhookHttp,
  mqtt: t.mqttBroker,
};

interface ConnectorFormProps {
  readonly productId: string;
  /** The connector that is changed; without it a new one is made. */
  readonly connector?: ConnectorRecord | undefined;
  readonly onDone: () => void;
}

/** Makes a connector, or changes one. */
export function ConnectorForm({ productId, connector, onDone }: ConnectorFormProps) {
  const form = useForm<Typed>({
    initialValues: {
      title: connector?.title ?? '',
      code: connector?.code,
      type: connector?.type ?? 'webhook',
      opts: { headers: [], ...valuesOf(connector?.opts ?? {}) },
    },
    validateInputOnChange: true,
    validate: {
      title: needed,
      code: (code, { title }) => (isCode(code ?? suggestCode(title)) ? null : t.onlyLettersDigitsAndUp),
      opts: (opts, { type }) => !isComplete(type, opts),
    },
  });
  const { title, type, opts } = form.values;
  const code = form.values.code ?? suggestCode(title);
  const create = useChange('connectors.create', 'connectors');
  const read = ['connectors.get', { params: { connector_id: connector?.id ?? '' } }] as const;
  const update = useEdit('connectors.update', read, { enabled: connector !== undefined });
  const submit = async (): Promise<void> => {
    const body = { title: title.trim(), code, opts: optionsFrom(type, opts) };
    const saved = connector
      ? await update({ params: { connector_id: connector.id }, body })
      : await create.mutateAsync({ params: { product_id: productId }, body });
    notify(t.connectorIsSaved(saved.code));
    onDone();
  };
  return (
    <Form
      submit={connector ? t.saveConnector : t.addConnector}
      onSubmit={submit}
      disabled={!form.isValid()}
      fields={form}
    >
      <TextInput label={common.title} data-autofocus required maxLength={128} {...form.getInputProps('title')} />
      <TextInput
        label={common.code}
        description={t.devicesNameConnectorByIt}
        required
        maxLength={64}
        {...form.getInputProps('code')}
        value={code}
      />
      <Select
        label={common.type}
        description={t.whereItSendsWebAddress}
        data={connectorTypes.map((value) => ({ value, label: typeLabels[value] }))}
        allowDeselect={false}
        {...form.getInputProps('type')}
      />
      {fieldsOf(type).map((field) => (
        <OptionInput key={field.name} field={field} form={form} />
      ))}
    </Form>
  );
}
