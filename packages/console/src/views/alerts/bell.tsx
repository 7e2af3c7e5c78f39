import { ActionIcon, Indicator } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/alerts.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';

/** How often the bell is looked at where no event tells: of what is younger than a minute there is none yet. In ms. */
const renewMs = 30_000;

/** The alerts that nobody looks after yet, counted, with the way to them. */
export function Bell() {
  const { data } = useCall('alerts.list', { query: { unseen: true, limit: 1 } }, { everyMs: renewMs });
  const count = data?.total ?? 0;
  const label = count === 0 ? t.alertsNoneIsNew : t.alerts(plural(count, nouns.newOne));
  return (
    <Indicator label={count > 99 ? '99+' : count} size={18} color="red.9" disabled={count === 0} offset={4}>
      <ActionIcon component={Link} href="/alerts" variant="default" size="lg" aria-label={label} title={label}>
        <IconBell size={18} aria-hidden />
      </ActionIcon>
    </Indicator>
  );
}
