import { Group, Switch, Text } from '@mantine/core';
import type { ControlRecord } from '@moorage/api';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { t } from '../../texts/device-tabs.tsx';
import { notify, notifyError } from '../../ui/notify.ts';

interface ControlSwitchProps {
  readonly deviceId: string;
  readonly control: ControlRecord;
}

/** A control that is on or off, set by one press. */
export function ControlSwitch({ deviceId, control: { name, title, value, at } }: ControlSwitchProps) {
  const change = useChange('data.setControl', 'data');
  /** What was pressed, until another value than that of then has come. */
  const [pressed, setPressed] = useState<{ readonly on: boolean; readonly at: string | null }>();
  const on = pressed && pressed.at === at ? pressed.on : value === 1;
  const label = title ?? name;
  const set = async (next: boolean): Promise<void> => {
    setPressed({ on: next, at });
    try {
      await change.mutateAsync({ params: { device_id: deviceId, name }, body: { value: next ? 1 : 0 } });
      notify(next ? t.isSwitchedOn(label) : t.isSwitchedOff(label));
    } catch (error) {
      setPressed(undefined);
      notifyError(error);
    }
  };
  return (
    <Group gap="xs">
      <Switch aria-label={label} checked={on} onChange={(event) => void set(event.currentTarget.checked)} />
      <Text size="sm" aria-hidden>
        {on ? t.on : t.off}
      </Text>
    </Group>
  );
}
