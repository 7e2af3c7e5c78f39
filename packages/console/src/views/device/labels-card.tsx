import { ActionIcon, Group, Pill, Stack, Table, TextInput } from '@mantine/core';
import { attributeName, type DeviceRecord } from '@moorage/api';
import { IconPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { ErrorBox, Loaded } from '../../ui/states.tsx';

const isName = (text: string): boolean => new RegExp(attributeName).test(text);

/** What people and programs have called the device: each can be taken off, and others added. */
export function LabelsCard({ device }: { readonly device: DeviceRecord }) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const params = { device_id: device.id };
  const labels = useCall('attributes.labels', { params });
  const set = useChange('attributes.setLabels', 'attributes', 'rollouts', 'segments');
  const change = (changed: Record<string, string | null>): Promise<unknown> =>
    // Why it did not work is shown from the change itself.
    set.mutateAsync({ params, body: { labels: changed } }).catch(() => {});
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (!isName(name)) return;
    void change({ [name]: value }).then(() => {
      setName('');
      setValue('');
    });
  };
  return (
    <Card title={t.labels}>
      <Stack gap="sm">
        <Loaded query={labels}>
          {({ value: found }) => (
            <Group gap="xs" aria-label={t.labelsOfDevice} role="group">
              {Object.entries(found).map(([key, text]) => (
                <Pill
                  key={key}
                  size="md"
                  withRemoveButton
                  removeButtonProps={{ 'aria-label': t.removeLabel(key), 'aria-hidden': false, tabIndex: 0 }}
                  onRemove={() => void change({ [key]: null })}
                >
                  {key}={text}
                </Pill>
              ))}
              {Object.keys(found).length === 0 && <Muted>{t.noneYetFiltersAndRollouts}</Muted>}
            </Group>
          )}
        </Loaded>
        {set.error && <ErrorBox error={set.error} />}
        <form onSubmit={add}>
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              label={common.label}
              placeholder="region"
              maxLength={64}
              {...bindText(name, setName)}
              error={name !== '' && !isName(name) && t.lettersDigits}
              flex={1}
            />
            <TextInput label={common.value} placeholder="eu" maxLength={256} {...bindText(value, setValue)} flex={1} />
            <ActionIcon
              type="submit"
              size={36}
              variant="default"
              aria-label={t.addLabel}
              loading={set.isPending}
              disabled={!isName(name)}
            >
              <IconPlus size={18} aria-hidden />
            </ActionIcon>
          </Group>
        </form>
      </Stack>
    </Card>
  );
}

/** What the device has reported of itself. */
export function AttributesCard({ device }: { readonly device: DeviceRecord }) {
  const attributes = useCall('attributes.list', { params: { device_id: device.id } });
  return (
    <Card title={t.reported}>
      <Loaded query={attributes}>
        {({ value: found }) =>
          found.length === 0 ? (
            <Muted>{t.deviceHasReportedNothingOf}</Muted>
          ) : (
            <SmallTable label={t.attributesOfDevice} columns={[t.attribute, common.value, common.since]}>
              {found.map(({ name, value, since }) => (
                <Table.Tr key={name}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
                  <Table.Td>
                    <Moment at={since} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </SmallTable>
          )
        }
      </Loaded>
    </Card>
  );
}
