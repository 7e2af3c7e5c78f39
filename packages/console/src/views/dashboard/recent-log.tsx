import { Box, Group, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/dashboard.ts';
import { stateName } from '../../texts/states.ts';
import { Card } from '../../ui/card.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';

type Line = AnswerOf<'overview.status'>['recent_logs'][number];

const colours: Readonly<Record<string, string>> = { info: 'cyan.6', warning: 'orange.6', error: 'red.7' };

function LogLine({ line: { id, message, device, device_id, level, created_at } }: { readonly line: Line }) {
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm">
      <Box w={8} h={8} miw={8} mt={7} bg={colours[level] ?? 'gray.6'} style={{ borderRadius: 8 }} aria-hidden />
      <Text size="sm" miw={0} flex={1} style={{ overflowWrap: 'anywhere' }}>
        {level !== 'info' && <b>{stateName(level)}: </b>}
        <PageLink href={`/logs/${id}`} className="quiet-link">
          {message}
        </PageLink>
        {device !== null && device_id !== null && (
          <>
            {' · '}
            <PageLink href={`/devices/${device_id}`}>{device}</PageLink>
          </>
        )}
      </Text>
      <Text size="xs" c="dimmed" component="div" mt={2} style={{ whiteSpace: 'nowrap' }}>
        <Moment at={created_at} />
      </Text>
    </Group>
  );
}

/** What happened last. */
export function RecentLog() {
  const query = useCall('overview.status', {});
  return (
    <Card
      title={t.recentLog}
      fill
      actions={
        <PageLink href="/logs" size="sm">
          {t.allLogs}
        </PageLink>
      }
    >
      <Loaded query={query}>
        {({ value: { recent_logs: logs } }) =>
          logs.length === 0 ? (
            <Empty title={t.nothingHasHappenedYet}>{t.whatYouAndYourDevices}</Empty>
          ) : (
            <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
              {logs.map((line) => (
                <LogLine key={line.id} line={line} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Card>
  );
}
