import { Box, Collapse, Group, Slider, Stack, Table, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ControlRecord } from '@moorage/api';
import { type ReactNode, useId, useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device-tabs.tsx';
import { formatMoment, msOf } from '../../texts/format.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { bindText } from '../../ui/bind-text.ts';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Form } from '../../ui/form.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { SmallTable } from '../../ui/small-table.tsx';
import { Loaded } from '../../ui/states.tsx';
import { ControlSwitch } from './control-switch.tsx';
import { isOnOff, rangeText, stepOf, typedValue } from './control-value.ts';
import { formatValue } from './samples.ts';

interface ControlProps {
  readonly deviceId: string;
  readonly control: ControlRecord;
}

interface EditorProps {
  readonly control: ControlRecord;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function Editor({ control, text, onChange }: EditorProps) {
  const { type, min, max, units } = control;
  const typed = typedValue(text, control);
  const slides = type === 'number' && min !== null && max !== null && max > min;
  return (
    <Stack gap="xs">
      <TextInput
        label={common.value}
        description={rangeText(control)}
        error={'problem' in typed && typed.problem}
        inputMode={type === 'number' ? 'decimal' : 'text'}
        rightSection={units && <Text size="xs">{units}</Text>}
        rightSectionWidth={units ? 16 + 9 * units.length : 0}
        {...bindText(text, onChange)}
        maw={420}
      />
      {slides && (
        <Box maw={420} px={6}>
          <Slider
            thumbLabel={t.valueOf(control.title ?? control.name)}
            min={min}
            max={max}
            step={stepOf(min, max)}
            label={null}
            value={'value' in typed ? Number(typed.value) : min}
            onChange={(value) => onChange(String(value))}
          />
        </Box>
      )}
    </Stack>
  );
}

function Delivery({ control: { at, source, delivered } }: { readonly control: ControlRecord }) {
  if (at === null) return <Text size="sm">{t.defaultOfCapabilitiesNobodyHas}</Text>;
  return (
    <Group gap={6}>
      <Text size="sm" component="div">
        {t.setBy(source === 'device' ? t.device : t.user)} <Moment at={at} />
      </Text>
      <StateBadge state={delivered ? 'delivered' : 'not fetched yet'} />
    </Group>
  );
}

function History({ deviceId, control: { name, units } }: ControlProps) {
  const query = useCall('data.controlHistory', { params: { device_id: deviceId, name }, query: { limit: 20 } });
  return (
    <Loaded query={query}>
      {({ value: entries }) =>
        entries.length === 0 ? (
          <Muted>{t.itHasHadNoOther}</Muted>
        ) : (
          <SmallTable
            label={t.valuesOfNewestFirst(name)}
            fits
            columns={[common.time, common.value, t.by]}
            verticalSpacing={4}
          >
            {entries.map(({ at, value, source, user }) => (
              <Table.Tr key={at}>
                <Table.Td>{formatMoment(msOf(at))}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{formatValue(value, units)}</Table.Td>
                <Table.Td>{user ?? (source === 'device' ? t.device : t.user)}</Table.Td>
              </Table.Tr>
            ))}
          </SmallTable>
        )
      }
    </Loaded>
  );
}

interface LinkButtonProps {
  readonly onClick: () => void;
  /** Of what it shows and hides. */
  readonly controls?: string;
  readonly expanded?: boolean;
  readonly children: ReactNode;
}

const LinkButton = ({ onClick, controls, expanded, children }: LinkButtonProps) => (
  <UnstyledButton
    type="button"
    fz="sm"
    td="underline"
    onClick={onClick}
    {...(controls !== undefined && { 'aria-controls': controls, 'aria-expanded': expanded })}
  >
    {children}
  </UnstyledButton>
);

/** A form for any value that the control takes. */
function ValueForm({ deviceId, control, more }: ControlProps & { readonly more: ReactNode }) {
  const { name, title, value } = control;
  /** What is being typed; without it the value itself, which may change at any time. */
  const [draft, setDraft] = useState<string>();
  const change = useChange('data.setControl', 'data');
  const text = draft ?? (value === null ? '' : String(value));
  const typed = typedValue(text, control);
  const submit = async (): Promise<void> => {
    if (!('value' in typed)) return;
    await change.mutateAsync({ params: { device_id: deviceId, name }, body: { value: typed.value } });
    setDraft(undefined);
    notify(t.isSetTo(title ?? name, formatValue(typed.value, control.units)));
  };
  return (
    <Form submit={t.set} onSubmit={submit} disabled={draft === undefined || 'problem' in typed} more={more}>
      <Editor control={control} text={text} onChange={setDraft} />
    </Form>
  );
}

/** One control: its value, whether the device has it, an editor that fits it, and the values it has had. */
export function ControlCard({ deviceId, control }: ControlProps) {
  const { name, title, value } = control;
  const [listed, { toggle }] = useDisclosure();
  const [typed, { open: type }] = useDisclosure();
  const id = useId();
  const history = (
    <LinkButton onClick={toggle} controls={id} expanded={listed}>
      {listed ? t.hideEarlierValues : t.showEarlierValues}
    </LinkButton>
  );
  return (
    <Card title={title ?? name} actions={<b>{value === null ? t.noValue : formatValue(value, control.units)}</b>}>
      <Stack gap="sm">
        <Group gap={4}>
          <Muted small>{name}</Muted>
          <Copy value={name} label={t.nameOfControl(name)} />
        </Group>
        <Delivery control={control} />
        {isOnOff(control) && !typed ? (
          <>
            <ControlSwitch deviceId={deviceId} control={control} />
            <Group gap="md">
              <LinkButton onClick={type}>{t.setAnotherValue}</LinkButton>
              {history}
            </Group>
          </>
        ) : (
          <ValueForm deviceId={deviceId} control={control} more={history} />
        )}
        <Collapse expanded={listed} id={id}>
          {listed && <History deviceId={deviceId} control={control} />}
        </Collapse>
      </Stack>
    </Card>
  );
}
