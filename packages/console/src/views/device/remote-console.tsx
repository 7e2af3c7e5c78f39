import { Alert, Loader, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useCall } from '../../api/queries.ts';
import { Moment } from '../../ui/moment.tsx';
import { ErrorBox } from '../../ui/states.tsx';
import { ModuleLine } from './module-line.tsx';
import type { TabProps } from './tabs.ts';

// The terminal is larger than all the rest of this page.
const Terminal = lazy(() => import('./terminal.tsx'));

function Offline() {
  return (
    <Alert variant="outline" color="orange" title="The device is not on the message channel">
      <Text size="sm" component="div">
        Commands cannot reach it now. A module is on the channel while it has a network and takes remote commands; at
        its own serial port that is
        <br />
        <ModuleLine line="set dms.cmd.enabled 1" />
        <br />
        <ModuleLine line="save" />
        <br />
        As soon as it is there, this page says so.
      </Text>
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
              On the message channel since <Moment at={status.since} none="just now" />. Arrow keys walk through earlier
              lines, Ctrl+C ends a wait, Tab leaves the terminal.
            </Text>
          ) : (
            <Offline />
          ))}
      </div>
      {query.error && <ErrorBox error={query.error} onRetry={() => void query.refetch()} />}
      <Suspense fallback={<Loader size="sm" aria-label="Loading the terminal" />}>
        <Terminal deviceId={device.id} />
      </Suspense>
    </Stack>
  );
}
