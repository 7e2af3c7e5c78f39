import { Select } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { nowMs } from '../../browser/time.ts';
import { t } from '../../texts/alerts.ts';
import { common } from '../../texts/common.ts';
import { openDialog } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';

const hourMs = 3_600_000;

/** How long a rule may be silenced from here, by the value in the select. */
const spans = [
  { value: '1', label: t.n1Hour },
  { value: '4', label: t.n4Hours },
  { value: '24', label: t.n1Day },
  { value: '168', label: t.n7Days },
] as const;

interface Rule {
  readonly id: string;
  readonly title: string;
}

function SilenceForm({ rule, onDone }: { readonly rule: Rule; readonly onDone: () => void }) {
  const change = useChange('alerts.silence', 'alerts');
  const [hours, setHours] = useState<string>('4');
  const silence = async (): Promise<void> => {
    const until = nowMs() + Number(hours) * hourMs;
    await change.mutateAsync({ params: { rule_id: rule.id }, body: { until } });
    notify(t.isSilent(rule.title));
    onDone();
  };
  return (
    <Form submit={t.silence2} onSubmit={silence}>
      <Select
        label={common.for}
        description={t.whatItFindsIsRecorded}
        data={[...spans]}
        allowDeselect={false}
        value={hours}
        onChange={(value) => setHours(value ?? '4')}
        data-autofocus
      />
    </Form>
  );
}

/** Asks for how long a rule sends no messages. */
export const openSilence = (rule: Rule): void =>
  openDialog({ title: t.silenceTitle(rule.title) }, (close) => <SilenceForm rule={rule} onDone={close} />);
