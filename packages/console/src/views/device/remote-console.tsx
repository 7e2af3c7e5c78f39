import { Alert, Code, Loader, Stack, Text } from '@mantine/core';
import { Suspense } from 'react';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/device-tabs.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { Moment } from '../../ui/moment.tsx';
import { ErrorBox } from '../../ui/states.tsx';
import { ModuleLine } from './module-line.tsx';
import type { TabProps } from './tab-props.ts';

// The terminal is larger than all the rest of this page.
const Terminal = lazyPart(() => import('./terminal.tsx'));

/** What brings a module to the message channel; the setting is looked at when its network comes up. */
const wayBack = ['set dms.cmd.enabled 1', 'save', 'network_restart'] as const;

function Offline() {
  return (
    <Alert variant="outline" color="orange" title={t.deviceIsNotOnMessageChannel}>
      <Text size="sm">{t.commandsCannotReachItNow}</Text>
      {wayBack.map((line) => (
        <div key={line}>
          <ModuleLine line={line} />
        </div>
      ))}
    </Alert>
  );
}

/** Command lines to the module over the message channel, and what it answers. */
export default function RemoteConsole({ device }: TabProps) {
  const query = useCall('channel.status', { params: { device_id: device.id } });
  const status = query.data?.value;
  return (
    <Stack gap="sm">
      <div role="status">
        {status &&
          (status.online ? (
            <Text size="sm" c="dimmed" component="div">
              {t.onMessageChannelSinceType(
                <Moment at={status.since} none={t.justNow} since />,
                <Code>help</Code>,
                <Code>version</Code>,
                <Code>ls</Code>,
              )}
            </Text>
          ) : (
            <Offline />
          ))}
      </div>
      {query.error && <ErrorBox error={query.error} onRetry={() => void query.refetch()} />}
      <Suspense fallback={<Loader size="sm" aria-label={t.loadingTerminal} />}>
        <Terminal deviceId={device.id} />
      </Suspense>
    </Stack>
  );
}
