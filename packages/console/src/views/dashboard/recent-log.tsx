import { Group, Stack, Text } from '@mantine/core';
import { useCall } from '../../api/queries.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';

/** What happened last. */
export function RecentLog() {
  const query = useCall('overview.status', {});
  return (
    <Card title="Recent log" actions={<PageLink href="/logs">All logs</PageLink>}>
      <Loaded query={query}>
        {({ value: { recent_logs: logs } }) =>
          logs.length === 0 ? (
            <Empty title="Nothing has happened yet" />
          ) : (
            <Stack gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
              {logs.map(({ id, message, device, level, created_at }) => (
                <li key={id}>
                  <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
                    <Text size="sm" style={{ overflowWrap: 'anywhere' }} component="div">
                      <Group gap={6}>
                        {level !== 'info' && <StateBadge state={level} />}
                        <span>
                          <PageLink href={`/logs/${id}`} inherit>
                            {message}
                          </PageLink>
                          {device !== null && ` · ${device}`}
                        </span>
                      </Group>
                    </Text>
                    <Text size="xs" c="dimmed" component="div" style={{ whiteSpace: 'nowrap' }}>
                      <Moment at={created_at} />
                    </Text>
                  </Group>
                </li>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Card>
  );
}
