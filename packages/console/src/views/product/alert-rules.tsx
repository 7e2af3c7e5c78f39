import { Button, Group, Stack } from '@mantine/core';
import type { AlertRuleRecord } from '@moorage/api';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { nowMs } from '../../browser/time.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/connectors.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useAddressDialog } from '../../ui/dialogs.ts';
import { PageLink } from '../../ui/link.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Empty } from '../../ui/states.tsx';
import { pageOf, useListAddress } from '../../ui/use-list.ts';
import { openSilence } from '../alerts/silence.tsx';
import { AlertRuleForm } from './alert-rule-form.tsx';
import { ruleText } from './alert-rule-text.ts';
import type { TabProps } from './tab-props.ts';

const isSilent = ({ silenced_until }: AlertRuleRecord): boolean =>
  silenced_until !== null && Number(silenced_until) > nowMs();

/** Whether a rule works, in a word. */
const stateOf = (rule: AlertRuleRecord): string => (rule.enabled ? (isSilent(rule) ? 'muted' : 'watching') : 'off');

function Actions({ rule, onEdit }: { readonly rule: AlertRuleRecord; readonly onEdit: () => void }) {
  const remove = useChange('alerts.removeRule', 'alerts');
  const silence = useChange('alerts.silence', 'alerts');
  const ask = (): void =>
    confirm({
      title: t.deleteRule(rule.title),
      body: t.itsAlertsGoWithIt,
      action: common.delete,
      destructive: true,
      run: () => remove.mutateAsync({ params: { rule_id: rule.id } }),
      done: t.ruleIsDeleted(rule.title),
    });
  const speak = async (): Promise<void> => {
    await silence.mutateAsync({ params: { rule_id: rule.id }, body: { until: null } });
    notify(t.speaksAgain(rule.title));
  };
  return (
    <Group gap={4}>
      <Button size="compact-sm" variant="default" aria-label={t.changeTitle(rule.title)} onClick={onEdit}>
        {t.change}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${isSilent(rule) ? t.endSilenceOf : t.silence} ${rule.title}`}
        onClick={() => (isSilent(rule) ? void speak().catch(notifyError) : openSilence(rule))}
      >
        {isSilent(rule) ? t.endSilence : t.silence2}
      </Button>
      <Button size="compact-sm" variant="default" aria-label={t.delete(rule.title)} onClick={ask}>
        {common.delete2}
      </Button>
    </Group>
  );
}

const columnsFor = (edit: (rule: AlertRuleRecord) => void): readonly Column<AlertRuleRecord>[] => [
  {
    key: 'title',
    title: t.rule,
    sort: 'title',
    cell: (rule) => (
      <>
        {rule.title}
        <Muted small>{ruleText(rule)}</Muted>
      </>
    ),
  },
  { key: 'state', title: common.state, cell: (rule) => <StateBadge state={stateOf(rule)} /> },
  {
    key: 'open',
    title: t.openAlerts,
    from: 'sm',
    cell: ({ open, product_id }) => <PageLink href={`/alerts?product_id=${product_id}&state=open`}>{open}</PageLink>,
  },
  {
    key: 'connectors',
    title: t.told,
    from: 'md',
    cell: ({ connectors, mail_to, mail_unconfirmed }) => {
      const others = [
        connectors.length > 0 ? plural(connectors.length, nouns.connector) : [],
        mail_to.length > 0 ? plural(mail_to.length, nouns.mailAddress) : [],
      ].flat();
      return (
        <>
          {others.length === 0 ? t.bell : t.bellAnd(others.join(', '))}
          {mail_unconfirmed.length > 0 && <Muted small>{t.notConfirmed(mail_unconfirmed.join(', '))}</Muted>}
        </>
      );
    },
  },
  { key: 'actions', title: common.actions, cell: (rule) => <Actions rule={rule} onEdit={() => edit(rule)} /> },
];

/** What is watched on the devices of the product, and who is told. */
export default function AlertRules({ product }: TabProps) {
  const list = useListAddress('Alert rules');
  const [adding, addDialog] = useAddressDialog('new');
  const [edited, edit] = useState<AlertRuleRecord>();
  const query = pageOf<'title'>(list);
  const rules = useCall('alerts.rules', { params: { product_id: product.id }, query }, { keepPrevious: true });
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Muted maw={560}>{t.ruleWatchesDevicesOfProduct}</Muted>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={addDialog.open}>
          {t.addARule}
        </Button>
      </Group>
      <Dialog title={t.addAlertRule} size="lg" opened={adding} onClose={addDialog.close}>
        <AlertRuleForm productId={product.id} onDone={addDialog.close} />
      </Dialog>
      <Dialog
        title={t.changePart(edited?.title ?? '')}
        size="lg"
        opened={edited !== undefined}
        onClose={() => edit(undefined)}
      >
        {edited && <AlertRuleForm productId={product.id} rule={edited} onDone={() => edit(undefined)} />}
      </Dialog>
      <DataTable
        label={t.alertRules}
        noun={nouns.rule}
        columns={columnsFor(edit)}
        query={rules}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title={t.nothingIsWatchedYet}>{t.ruleTellsOfDevicesThat}</Empty>}
      />
    </Stack>
  );
}
