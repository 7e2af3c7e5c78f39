import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type ConnectorRecord, type ConnectorType, connectorTypes, sayPattern } from '@moorage/api';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/connectors.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { sayProblem } from '../../ui/refusals.ts';
import { isCode, suggestCode } from '../products/product-code.ts';
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

interface HeadersProps {
  readonly label: string;
  readonly help: string | undefined;
  readonly rows: readonly HeaderRow[];
  readonly onChange: (rows: readonly HeaderRow[]) => void;
}

function Headers({ label, help, rows, onChange }: HeadersProps) {
  const set = (index: number, change: Partial<HeaderRow>): void =>
    onChange(rows.map((row, i) => (i === index ? { ...row, ...change } : row)));
  return (
    <Fieldset legend={label} p="sm">
      <Stack gap="xs">
        {rows.map((row, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name while they are typed
          <Group key={i} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={t.nameOfHeader(i + 1)}
              placeholder={common.name}
              value={row.name}
              onChange={(event) => set(i, { name: event.currentTarget.value })}
              flex={1}
            />
            <TextInput
              aria-label={t.valueOfHeader(i + 1)}
              placeholder={common.value}
              value={row.value}
              onChange={(event) => set(i, { value: event.currentTarget.value })}
              flex={1}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.removeHeader(i + 1)}
              onClick={() => onChange(rows.filter((_, other) => other !== i))}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group gap="sm">
          <Button size="compact-sm" variant="default" onClick={() => onChange([...rows, { name: '', value: '' }])}>
            {t.addHeader}
          </Button>
          <Text size="xs" c="dimmed">
            {help}
          </Text>
        </Group>
      </Stack>
    </Fieldset>
  );
}

interface OptionInputProps {
  readonly field: OptionField;
  readonly value: OptionValues[keyof OptionValues];
  readonly onChange: (value: OptionValues[keyof OptionValues]) => void;
}

/** The input of one option, as its schema wants it. */
function OptionInput({ field, value, onChange }: OptionInputProps) {
  const { kind, label, help, required, choices, min, max, maxLength, placeholder } = field;
  const common = { label, description: help, required, placeholder };
  const text = {
    ...common,
    error: isMisshapen(field, value) && t.misshapen(sayProblem(sayPattern(field.pattern ?? ''))),
    ...(maxLength !== undefined && { maxLength }),
    value: typeof value === 'string' ? value : '',
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value),
  };
  if (kind === 'headers') {
    return <Headers label={label} help={help} rows={(value ?? []) as readonly HeaderRow[]} onChange={onChange} />;
  }
  if (kind === 'events') {
    const chosen = (value ?? []) as readonly string[];
    return (
      <MultiSelect
        {...common}
        placeholder={chosen.length === 0 ? t.none : ''}
        data={[...choices]}
        value={[...chosen]}
        onChange={onChange}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t.clear(label) }}
      />
    );
  }
  if (kind === 'number') {
    const limits = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
    const shown = typeof value === 'number' ? value : '';
    return <NumberInput {...common} {...limits} allowDecimal={false} value={shown} onChange={onChange} />;
  }
  if (kind === 'switch') {
    const flip = (event: { readonly currentTarget: { readonly checked: boolean } }) =>
      onChange(event.currentTarget.checked);
    return <Switch label={label} description={help} checked={value === true} onChange={flip} />;
  }
  if (kind === 'choice') {
    return (
      <Select
        {...common}
        data={[...choices]}
        value={typeof value === 'string' ? value : (placeholder ?? null)}
        onChange={(chosen) => onChange(chosen ?? undefined)}
        allowDeselect={false}
      />
    );
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

/** What is typed; the options of each type are kept while one looks at the other. */
function useConnectorForm(connector: ConnectorRecord | undefined) {
  const [title, setTitle] = useState(connector?.title ?? '');
  const [typedCode, setCode] = useState(connector?.code);
  const [type, setType] = useState<ConnectorType>(connector?.type ?? 'webhook');
  const [values, setValues] = useState<OptionValues>(connector ? valuesOf(connector.opts) : {});
  const code = typedCode ?? suggestCode(title);
  return {
    title,
    setTitle,
    code,
    setCode,
    type,
    setType,
    values,
    set: (name: keyof OptionValues, value: OptionValues[keyof OptionValues]) =>
      setValues((old) => ({ ...old, [name]: value }) as OptionValues),
    complete: title.trim() !== '' && isCode(code) && isComplete(type, values),
    body: () => ({ title: title.trim(), code, opts: optionsFrom(type, values) }),
  };
}

/** Makes a connector, or changes one. */
export function ConnectorForm({ productId, connector, onDone }: ConnectorFormProps) {
  const form = useConnectorForm(connector);
  const create = useChange('connectors.create', 'connectors');
  const update = useChange('connectors.update', 'connectors');
  const submit = async (): Promise<void> => {
    const body = form.body();
    const saved = connector
      ? await update.mutateAsync({ params: { connector_id: connector.id }, body })
      : await create.mutateAsync({ params: { product_id: productId }, body });
    notify(t.connectorIsSaved(saved.code));
    onDone();
  };
  return (
    <Form submit={connector ? t.saveConnector : t.addConnector} onSubmit={submit} disabled={!form.complete}>
      <TextInput
        label={common.title}
        data-autofocus
        required
        maxLength={128}
        value={form.title}
        onChange={(event) => form.setTitle(event.currentTarget.value)}
      />
      <TextInput
        label={common.code}
        description={t.devicesNameConnectorByIt}
        required
        maxLength={64}
        error={form.code !== '' && !isCode(form.code) && t.onlyLettersDigitsAndUp}
        value={form.code}
        onChange={(event) => form.setCode(event.currentTarget.value)}
      />
      <Select
        label={common.type}
        description={t.whereItSendsWebAddress}
        data={connectorTypes.map((value) => ({ value, label: typeLabels[value] }))}
        allowDeselect={false}
        value={form.type}
        onChange={(value) => form.setType(connectorTypes.find((type) => type === value) ?? form.type)}
      />
      {fieldsOf(form.type).map((field) => (
        <OptionInput
          key={field.name}
          field={field}
          value={form.values[field.name]}
          onChange={(value) => form.set(field.name, value)}
        />
      ))}
    </Form>
  );
}
