import { Checkbox, Group, MultiSelect, NumberInput, Select, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import type { AlertCondition, AlertRuleRecord } from '@moorage/api';
import { useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/connectors.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';

const kinds = [
  { value: 'silent', label: t.silentByItsInterval },
  { value: 'offline', label: t.notHeardForTime },
  { value: 'update_failed', label: t.itsLastUpdateFailed },
  { value: 'stream', label: t.streamAboveOrBelowLimit },
] as const;

/** What is typed, before it is a rule. */
interface Typed {
  title: string;
  segment_id: string | null;
  kind: AlertCondition['kind'];
  minutes: number | string;
  stream: string;
  side: 'above' | 'below';
  limit: number | string;
  at_least: number | string;
  gather_minutes: number | string;
  connectors: string[];
  mail_to: string;
  enabled: boolean;
}

const typedOf = (rule: AlertRuleRecord | undefined): Typed => ({
  title: rule?.title ?? '',
  segment_id: rule?.segment_id ?? null,
  kind: 'silent',
  minutes: 15,
  stream: '',
  side: 'above',
  limit: '',
  ...rule?.condition,
  at_least: rule?.at_least ?? 1,
  gather_minutes: rule?.gather_minutes ?? 10,
  connectors: rule?.connectors ?? [],
  mail_to: rule?.mail_to.join(', ') ?? '',
  enabled: rule?.enabled ?? true,
});

const isCount = (count: number | string): boolean => Number(count) >= 1;

/** The condition that was typed; nothing while something of it is missing. */
function conditionOf({ kind, minutes, stream, side, limit }: Typed): AlertCondition | undefined {
  if (kind === 'update_failed' || kind === 'silent') return { kind };
  if (Number(minutes) < 1) return undefined;
  if (kind === 'offline') return { kind, minutes: Number(minutes) };
  return stream === '' || limit === ''
    ? undefined
    : { kind, stream, side, limit: Number(limit), minutes: Number(minutes) };
}

function ConditionFields({ form }: { readonly form: UseFormReturnType<Typed> }) {
  const { kind } = form.values;
  return (
    <>
      <Select label={t.deviceIs} data={[...kinds]} allowDeselect={false} {...form.getInputProps('kind')} />
      {kind === 'stream' && (
        <Group grow align="flex-start">
          <TextInput label={t.stream} description={t.itsNameAsOnDevices} {...form.getInputProps('stream')} />
          <Select
            label={t.is}
            description={t.allTime}
            data={Object.entries(t.sides).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            {...form.getInputProps('side')}
          />
          <NumberInput label={t.limit} description={t.inItsUnit} {...form.getInputProps('limit')} />
        </Group>
      )}
      {(kind === 'offline' || kind === 'stream') && (
        <NumberInput
          label={t.forLongerThanMinutes}
          min={1}
          max={43_200}
          allowDecimal={false}
          {...form.getInputProps('minutes')}
        />
      )}
    </>
  );
}

interface FormProps {
  readonly productId: string;
  readonly rule?: AlertRuleRecord;
  readonly onDone: () => void;
}

/** Makes an alert rule, or changes one. */
export function AlertRuleForm({ productId, rule, onDone }: FormProps) {
  const create = useChange('alerts.createRule', 'alerts');
  const update = useChange('alerts.updateRule', 'alerts');
  const params = { product_id: productId };
  const segments = useCall('segments.list', { params, query: { limit: 500 } }).data?.value ?? [];
  const connectors = useCall('connectors.list', { params, query: { limit: 500 } }).data?.value ?? [];
  const form = useForm({
    initialValues: typedOf(rule),
    validate: {
      title: (title) => title.trim() === '',
      at_least: (count) => !isCount(count),
      gather_minutes: (minutes) => !isCount(minutes),
    },
  });
  const { values } = form;
  const condition = conditionOf(values);
  const save = async (): Promise<void> => {
    if (!condition) return;
    const { title, segment_id, enabled } = values;
    const body = {
      title,
      segment_id,
      condition,
      at_least: Number(values.at_least),
      gather_minutes: Number(values.gather_minutes),
      connectors: values.connectors,
      mail_to: values.mail_to.split(/[\s,;]+/).filter((address) => address !== ''),
      enabled,
    };
    if (rule) await update.mutateAsync({ params: { rule_id: rule.id }, body });
    else await create.mutateAsync({ params, body });
    notify(rule ? t.ruleIsChanged(title) : t.ruleWatches(title));
    onDone();
  };
  return (
    <Form
      submit={rule ? common.save : t.addRule}
      disabled={!form.isValid() || condition === undefined}
      fields={form}
      onSubmit={save}
    >
      <TextInput
        label={common.title}
        placeholder={t.pierIsDark}
        maxLength={128}
        data-autofocus
        {...form.getInputProps('title')}
      />
      <Select
        label={common.devices}
        data={segments.map(({ id, title: name }) => ({ value: id, label: name }))}
        placeholder={t.allOfProduct}
        clearable
        clearButtonProps={{ 'aria-label': t.allOfProduct }}
        {...form.getInputProps('segment_id')}
      />
      <ConditionFields form={form} />
      <Group grow align="flex-start">
        <NumberInput
          label={t.devicesAtOnce}
          description={t.fewerAreNoAlert}
          min={1}
          max={1_000_000}
          allowDecimal={false}
          {...form.getInputProps('at_least')}
        />
        <NumberInput
          label={t.gatheredForMinutes}
          description={t.thoseThatFollowAreSame}
          min={1}
          max={1_440}
          allowDecimal={false}
          {...form.getInputProps('gather_minutes')}
        />
      </Group>
      <MultiSelect
        label={t.toldThrough}
        description={t.connectorsOfProductBellRings}
        data={connectors.map(({ id, title: name, code }) => ({ value: id, label: `${name} (${code})` }))}
        placeholder={values.connectors.length === 0 ? t.bellAlone : ''}
        maxValues={10}
        {...form.getInputProps('connectors')}
      />
      <TextInput
        label={t.mailTo}
        description={t.addressesThatGetMessages}
        placeholder={t.exampleAddress}
        {...form.getInputProps('mail_to')}
      />
      <Checkbox label={t.itWatches} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </Form>
  );
}
