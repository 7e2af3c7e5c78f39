import { Alert, Anchor, Button, Code, Stack, Text, TextInput } from '@mantine/core';
import type { AuditRecord, InputOf } from '@moorage/api';
import { call } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { t as administration } from '../../texts/administration.ts';
import { t } from '../../texts/audit.ts';
import { common } from '../../texts/common.ts';
import { formatMoment, msOf } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Field, Fields } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notifyError } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { TextFilter } from '../../ui/text-filter.tsx';
import { type ListAddress, pageOf, useListAddress } from '../../ui/use-list.ts';
import { ActivitySections } from '../logs/activity-sections.tsx';

const filterNames = ['user', 'object', 'action', 'from', 'to'] as const;
const crumbs = [{ title: administration.administration, href: '/administration' }];

type Values = AuditRecord['before'];

const Line = ({ label, values }: { readonly label: string; readonly values: Values }) =>
  values && (
    <Text size="xs" c="dimmed" truncate>
      {label}: {JSON.stringify(values)}
    </Text>
  );

const Block = ({ label, values }: { readonly label: string; readonly values: Values }) =>
  values && (
    <Stack gap={4}>
      <Text size="sm">{label}</Text>
      <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {JSON.stringify(values, null, 2)}
      </Code>
    </Stack>
  );

/** Everything of a row: the list shows the begin of it, and on a phone less. */
function openRow({ message, action, at, user, token, ip, object_kind, object_id, before, after }: AuditRecord): void {
  openDialog({ title: message ?? action, size: 'lg' }, () => (
    <Stack gap="md">
      <Fields>
        <Field label={common.time}>{formatMoment(msOf(at))}</Field>
        <Field label={common.user}>{user}</Field>
        <Field label={t.token}>{token}</Field>
        <Field label={t.action}>{action}</Field>
        <Field label={t.fromAddress}>{ip}</Field>
        {object_id !== null && (
          <Field label={common.id} value={object_id}>
            {object_kind} <Code>{object_id}</Code>
          </Field>
        )}
      </Fields>
      <Block label={t.before} values={before} />
      <Block label={t.after} values={after} />
    </Stack>
  ));
}

const columns: readonly Column<AuditRecord>[] = [
  {
    key: 'at',
    title: common.time,
    sort: 'seq',
    cell: ({ at }) => (
      <Text span inherit style={{ fontVariantNumeric: 'tabular-nums' }}>
        {formatMoment(msOf(at))}
      </Text>
    ),
  },
  {
    key: 'user',
    title: common.user,
    cell: ({ user, token }) => (
      <>
        {user}
        <Muted small>{token}</Muted>
      </>
    ),
  },
  {
    key: 'what',
    title: t.what,
    fill: true,
    cell: (row) => (
      <>
        <Anchor component="button" type="button" inherit ta="left" onClick={() => openRow(row)}>
          {row.message ?? row.action}
        </Anchor>
        <Line label={t.before} values={row.before} />
        <Line label={t.after} values={row.after} />
      </>
    ),
  },
  { key: 'action', title: t.action, from: 'md', cell: ({ action }) => action },
  {
    key: 'object',
    title: common.id,
    from: 'lg',
    cell: ({ object_kind, object_id }) => object_id && `${object_kind} ${object_id}`,
  },
  { key: 'ip', title: t.fromAddress, from: 'sm', cell: ({ ip }) => ip },
];

/** A day in the address, as the moment at which it begins there, epoch ms. */
const momentOf = (day: string | undefined): number | undefined => {
  const at = Date.parse(`${day}T00:00`);
  return Number.isNaN(at) ? undefined : at;
};

const DayFilter = ({ list, name, label }: { list: ListAddress; name: 'from' | 'to'; label: string }) => (
  <TextInput
    type="date"
    aria-label={label}
    leftSection={
      <Text size="xs" c="dimmed" aria-hidden>
        {label}
      </Text>
    }
    leftSectionWidth={76}
    value={list.filters[name] ?? ''}
    onChange={(event) => list.setFilter(name, event.currentTarget.value || undefined)}
    w={{ base: '100%', sm: 230 }}
  />
);

/** Checks the chain, and shows what was found. */
async function check(): Promise<void> {
  const { value } = await call('audit.verify', { query: {} });
  const { ok, rows, last_seq, hash, problem } = value;
  openDialog({ title: ok ? t.isWhole : t.isBroken }, () => (
    <Alert color={ok ? 'teal' : 'red'} variant="outline" title={ok ? t.isWhole : problem?.text}>
      <Text size="sm">{ok ? t.rowsAreAsWritten(rows) : t.firstThatIsWrong(problem?.seq ?? 0)}</Text>
      {ok && <Code style={{ overflowWrap: 'anywhere' }}>{`${last_seq}:${hash}`}</Code>}
    </Alert>
  ));
}

/** Who has changed what, newest first. */
export default function Audit() {
  const list = useListAddress('Audit', filterNames);
  const { from, to, ...filters } = list.filters;
  const [fromMs, toMs] = [momentOf(from), momentOf(to)];
  // Safe: the service refuses an order that it does not know, and the page shows that.
  const query = {
    ...filters,
    ...(fromMs !== undefined && { from: fromMs }),
    ...(toMs !== undefined && { to: toMs }),
    ...pageOf(list),
  } as NonNullable<InputOf<'audit.list'>['query']>;
  const found = useCall('audit.list', { query }, { keepPrevious: true });
  return (
    <Page
      title={t.audit}
      description={t.whoHasChangedWhat}
      crumbs={crumbs}
      actions={
        <Button variant="default" onClick={() => void check().catch(notifyError)}>
          {t.check}
        </Button>
      }
    >
      <ActivitySections shown="/administration/audit" />
      <FilterBar list={list} label={t.filtersOfAudit}>
        <TextFilter list={list} name="user" label={t.person} wide />
        <TextFilter list={list} name="object" label={t.object} wide />
        <TextFilter list={list} name="action" label={t.action} />
        <DayFilter list={list} name="from" label={t.fromDay} />
        <DayFilter list={list} name="to" label={t.beforeDay} />
      </FilterBar>
      <DataTable
        label={t.audit}
        noun={nouns.row}
        columns={columns}
        query={found}
        list={list}
        idOf={({ seq }) => String(seq)}
        empty={<Empty title={t.noChangeFits} />}
      />
    </Page>
  );
}
