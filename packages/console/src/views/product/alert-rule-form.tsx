import { Checkbox, Group, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import type { AlertCondition, AlertRuleRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/connectors.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';

const kinds = [
  { value: 'offline', label: t.offlineForLongerThanTime },
  { value: 'update_failed', label: t.itsLastUpdateFailed },
  { value: 'stream', label: t.streamAboveOrBelowLimit },
] as const;

/** What is typed, before it is a condition. */
interface Typed {
  readonly kind: AlertCondition['kind'];
  readonly minutes: number | string;
  readonly stream: string;
  readonly side: 'above' | 'below';
  readonly limit: number | string;
}

const typedOf = (condition: AlertCondition | undefined): Typed => ({
  kind: 'offline',
  minutes: 15,
  stream: '',
  side: 'above',
  limit: '',
  ...condition,
});

/** The condition that was typed; nothing while something of it is missing. */
function conditionOf({ kind, minutes, stream, side, limit }: Typed): AlertCondition | undefined {
  if (kind === 'update_failed') return { kind };
  if (Number(minutes) < 1) return undefined;
  if (kind === 'offline') return { kind, minutes: Number(minutes) };
  return stream === '' || limit === ''
    ? undefined
    : { kind, stream, side, limit: Number(limit), minutes: Number(minutes) };
}

function ConditionFields({ typed, set }: { readonly typed: Typed; readonly set: (change: Partial<Typed>) => void }) {
  return (
    <>
      <Select
        label={t.deviceIs}
        data={[...kinds]}
        allowDeselect={false}
        value={typed.kind}
        onChange={(value) => set({ kind: kinds.find((kind) => kind.value === value)?.value ?? 'offline' })}
      />
      {typed.kind === 'stream' && (
        <Group grow align="flex-start">
          <TextInput
            label={t.stream}
            description={t.itsNameAsOnDevices}
            value={typed.stream}
            onChange={({ currentTarget }) => set({ stream: currentTarget.value })}
          />
          <Select
            label={t.is}
            description={t.allTime}
            data={['above', 'below']}
            allowDeselect={false}
            value={typed.side}
            onChange={(value) => set({ side: value === 'below' ? 'below' : 'above' })}
          />
          <NumberInput
            label={t.limit}
            description={t.inItsUnit}
            value={typed.limit}
            onChange={(limit) => set({ limit })}
          />
        </Group>
      )}
      {typed.kind !== 'update_failed' && (
        <NumberInput
          label={t.forLongerThanMinutes}
          min={1}
          max={43_200}
          allowDecimal={false}
          value={typed.minutes}
          onChange={(minutes) => set({ minutes })}
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
  const [title, setTitle] = useState(rule?.title ?? '');
  const [segment, setSegment] = useState<string | null>(rule?.segment_id ?? null);
  const [typed, setTyped] = useState<Typed>(() => typedOf(rule?.condition));
  const [atLeast, setAtLeast] = useState<number | string>(rule?.at_least ?? 1);
  const [gather, setGather] = useState<number | string>(rule?.gather_minutes ?? 10);
  const [through, setThrough] = useState<string[]>(rule?.connectors ?? []);
  const [mailTo, setMailTo] = useState(rule?.mail_to.join(', ') ?? '');
  const [enabled, setEnabled] = useState(rule?.enabled ?? true);
  const condition = conditionOf(typed);
  const save = async (): Promise<void> => {
    if (!condition) return;
    const body = {
      title,
      segment_id: segment,
      condition,
      at_least: Number(atLeast),
      gather_minutes: Number(gather),
      connectors: through,
      mail_to: mailTo.split(/[\s,;]+/).filter((address) => address !== ''),
      enabled,
    };
    if (rule) await update.mutateAsync({ params: { rule_id: rule.id }, body });
    else await create.mutateAsync({ params, body });
    notify(rule ? t.ruleIsChanged(title) : t.ruleWatches(title));
    onDone();
  };
  const isWhole = title.trim() !== '' && condition !== undefined && Number(atLeast) >= 1 && Number(gather) >= 1;
  return (
    <Form submit={rule ? common.save : t.addRule} disabled={!isWhole} onSubmit={save}>
      <Stack gap="sm">
        <TextInput
          label={common.title}
          placeholder={t.pierIsDark}
          maxLength={128}
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
          data-autofocus
        />
        <Select
          label={common.devices}
          data={segments.map(({ id, title: name }) => ({ value: id, label: name }))}
          placeholder={t.allOfProduct}
          clearable
          clearButtonProps={{ 'aria-label': t.allOfProduct }}
          value={segment}
          onChange={setSegment}
        />
        <ConditionFields typed={typed} set={(change) => setTyped((known) => ({ ...known, ...change }))} />
        <Group grow align="flex-start">
          <NumberInput
            label={t.devicesAtOnce}
            description={t.fewerAreNoAlert}
            min={1}
            max={1_000_000}
            allowDecimal={false}
            value={atLeast}
            onChange={setAtLeast}
          />
          <NumberInput
            label={t.gatheredForMinutes}
            description={t.thoseThatFollowAreSame}
            min={1}
            max={1_440}
            allowDecimal={false}
            value={gather}
            onChange={setGather}
          />
        </Group>
        <MultiSelect
          label={t.toldThrough}
          description={t.connectorsOfProductBellRings}
          data={connectors.map(({ id, title: name, code }) => ({ value: id, label: `${name} (${code})` }))}
          placeholder={through.length === 0 ? t.bellAlone : ''}
          maxValues={10}
          value={through}
          onChange={setThrough}
        />
        <TextInput
          label={t.mailTo}
          description={t.addressesThatGetMessages}
          placeholder={t.exampleAddress}
          value={mailTo}
          onChange={({ currentTarget }) => setMailTo(currentTarget.value)}
        />
        <Checkbox
          label={t.itWatches}
          checked={enabled}
          onChange={({ currentTarget }) => setEnabled(currentTarget.checked)}
        />
      </Stack>
    </Form>
  );
}
