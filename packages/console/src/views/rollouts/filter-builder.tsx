import { ActionIcon, Button, Group, SegmentedControl, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { filterLimit } from '@moorage/api';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/rollouts.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Muted } from '../../ui/muted.tsx';
import { sayError } from '../../ui/refusals.ts';
import { conditionsOf, emptyRow, type FilterRow, filterFields, finished, lacks, rowsText } from './filter-rows.ts';

/** Letters that are typed together are one question, in ms. */
const typingMs = 300;

interface RowProps {
  readonly row: FilterRow;
  readonly number: number;
  readonly onChange: (row: FilterRow) => void;
  readonly onRemove: () => void;
}

const choices = (all: readonly { readonly title: string }[]) =>
  all.map(({ title }, index) => ({ value: String(index), label: title }));

function Row({ row, number, onChange, onRemove }: RowProps) {
  const field = filterFields[row.field] ?? filterFields[0];
  const conditions = field ? conditionsOf[field.kind] : [];
  const condition = conditions[row.condition];
  return (
    <Group gap="xs" wrap="wrap" align="flex-start" role="group" aria-label={t.condition(number)}>
      <Select
        aria-label={t.whatConditionIsAbout(number)}
        data={choices(filterFields)}
        value={String(row.field)}
        onChange={(next) => onChange({ ...emptyRow, field: Number(next ?? 0) })}
        allowDeselect={false}
        w={190}
      />
      {field?.named && (
        <TextInput
          aria-label={t.nameInCondition(number)}
          placeholder={field.name === 'label' ? 'region' : 'free_flash'}
          value={row.name}
          error={lacks(row) === 'name' && t.isMissing}
          onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
          w={130}
        />
      )}
      <Select
        aria-label={t.howConditionCompares(number)}
        data={choices(conditions)}
        value={String(row.condition)}
        onChange={(next) => onChange({ ...row, condition: Number(next ?? 0) })}
        allowDeselect={false}
        w={170}
      />
      {!condition?.bare && (
        <TextInput
          aria-label={t.valueOfCondition(number)}
          placeholder={condition?.placeholder}
          value={row.value}
          error={lacks(row) === 'value' && t.isMissing}
          onChange={(event) => onChange({ ...row, value: event.currentTarget.value })}
          flex="1 1 130px"
        />
      )}
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t.removeCondition(number)} onClick={onRemove}>
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

interface CountProps {
  readonly productId: string;
  readonly filter: string;
  /** What the service has refused of it. */
  readonly refused?: ReactNode;
}

/** How many devices of a product fit a filter now, or what is wrong with it. */
export function FilterCount({ productId, filter, refused }: CountProps) {
  const [asked] = useDebouncedValue(filter.trim(), typingMs);
  const query = { product_id: productId, limit: 1, ...(asked !== '' && { filter: asked }) };
  const isFinished = finished(asked) === null;
  const found = useCall('devices.list', { query }, { keepPrevious: true, enabled: isFinished });
  const problem = refused ?? finished(filter) ?? (found.error && sayError(found.error));
  return (
    <Text size="sm" role="status" {...(problem && { c: 'var(--mantine-color-error)' })}>
      {problem
        ? problem
        : found.data === undefined
          ? t.counting
          : t.fitNow(found.data.total ?? 0, plural(found.data.total ?? 0, nouns.device))}
    </Text>
  );
}

interface BuilderProps {
  readonly productId: string;
  /** The filter, as a field of a form has it. */
  readonly value?: string;
  readonly error?: ReactNode;
  readonly onChange: (filter: string) => void;
}

/** Puts a filter together from conditions, or takes it as a text, and counts the devices that fit it. */
export function FilterBuilder({ productId, value = '', error, onChange }: BuilderProps) {
  const [mode, setMode] = useState(value === '' ? 'rows' : 'text');
  const [rows, setRows] = useState<readonly FilterRow[]>([]);
  const change = (next: readonly FilterRow[]): void => {
    setRows(next);
    onChange(rowsText(next));
  };
  const switchTo = (next: string): void => {
    setMode(next);
    // Conditions cannot be read from any text: they begin anew, with those that were here.
    if (next === 'rows') onChange(rowsText(rows));
  };
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label={t.howFilterIsWritten}
        data={[
          { value: 'rows', label: t.conditions },
          { value: 'text', label: t.text },
        ]}
        value={mode}
        onChange={switchTo}
        size="xs"
        w="fit-content"
      />
      {mode === 'rows' ? (
        <>
          {rows.map((row, index) => (
            <Row
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name while they are typed
              key={index}
              row={row}
              number={index + 1}
              onChange={(next) => change(rows.map((one, i) => (i === index ? next : one)))}
              onRemove={() => change(rows.filter((_, i) => i !== index))}
            />
          ))}
          <Group gap="sm">
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => change([...rows, emptyRow])}
            >
              {t.addCondition}
            </Button>
            {rows.length === 0 && <Muted>{t.withoutOneEveryDeviceOf}</Muted>}
          </Group>
        </>
      ) : (
        <Textarea
          label={t.filter}
          description={t.inRsqlLabelRegionEu}
          autosize
          minRows={1}
          maxLength={filterLimit}
          {...bindText(value, onChange)}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
      )}
      <FilterCount productId={productId} filter={value} refused={error} />
    </Stack>
  );
}
