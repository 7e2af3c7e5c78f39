import { Code, Stack, Title } from '@mantine/core';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/doors.ts';
import { formatCount, formatMoment, msOf } from '../../texts/format.ts';
import { Muted } from '../../ui/muted.tsx';

/** Lines that are shown at once. */
const shownLines = 500;

interface Props {
  readonly deviceId: string;
  readonly updateId: number;
}

/** What the update client of another maker has said of an update; nothing for devices that speak for themselves. */
export function UpdateLog({ deviceId, updateId }: Props) {
  const params = { device_id: deviceId, update_id: updateId };
  const { data } = useCall('doors.messages', { params, query: { limit: shownLines } }, { everyMs: 5_000 });
  if (!data || data.value.length === 0) return null;
  const total = data.total ?? data.value.length;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t.said}
      </Title>
      <Code block mah={320} style={{ overflow: 'auto' }} tabIndex={0} aria-label={t.said} role="log">
        {data.value.map(({ at, text }) => `${formatMoment(msOf(at))}  ${text}`).join('\n')}
      </Code>
      {total > shownLines && <Muted small>{t.firstLines(shownLines, formatCount(total))}</Muted>}
    </Stack>
  );
}
