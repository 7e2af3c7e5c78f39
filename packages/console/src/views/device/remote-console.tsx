import { Alert, Code, Loader, Stack, Text } from '@mantine/core';
import { Suspense } from 'react';
import { useCall } from '../../api/queries.ts';
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
    <Alert variant="outline" color="orange" title="The device is not on the message channel">
      <Text size="sm">
        Commands cannot reach it now: it is switched off, without a network, or takes no remote commands. At its own
        serial port these bring it back; this page tells as soon as it is there.
      </Text>
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
              On the message channel since <Moment at={status.since} none="just now" />. Type a command and press Enter:
              <Code>help</Code>, <Code>version</Code> or <Code>ls</Code> to begin with. Arrow keys walk through earlier
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
