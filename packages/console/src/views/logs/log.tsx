import { Code } from '@mantine/core';
import type { LogRecord } from '@moorage/api';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { formatMoment, msOf } from '../../texts/format.ts';
import { t } from '../../texts/logs.ts';
import { nouns } from '../../texts/nouns.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { PageLink } from '../../ui/link.tsx';
import { LoadedPage } from '../../ui/loaded-page.tsx';
import { Page } from '../../ui/page.tsx';
import type { ViewProps } from '../view-props.ts';

const Facts = ({ log }: { readonly log: LogRecord }) => (
  <Fields>
    <Field label={common.time} value={formatMoment(msOf(log.created_at))} />
    <Field label={common.type} value={log.type}>
      <PageLink href={`/logs?type=${log.type}`}>{log.type}</PageLink>
    </Field>
    {log.user !== null && (
      <Field label={common.user} value={log.user}>
        <PageLink href={`/logs?user_id=${log.user_id}`}>{log.user}</PageLink>
      </Field>
    )}
    {log.device_id !== null && (
      <Field label={common.device} value={log.device_id}>
        <PageLink href={`/devices/${log.device_id}`}>{log.device ?? log.device_id}</PageLink>
      </Field>
    )}
    {log.product_id !== null && (
      <Field label={common.product} value={log.product_id}>
        <PageLink href={`/products/${log.product_id}`}>{log.product ?? log.product_id}</PageLink>
      </Field>
    )}
    {log.bundle_id !== null && (
      <Field label={common.bundle} value={log.bundle_id}>
        <PageLink href={`/bundles/${log.bundle_id}`}>{log.bundle_id}</PageLink>
      </Field>
    )}
    {log.ip !== null && <Field label={common.address} value={log.ip} mono />}
    {log.client !== null && <Field label={t.loginSession} value={log.client} mono />}
    <Field label={common.id} value={log.id} mono />
  </Fields>
);

const crumbs = [{ title: common.logs, href: '/logs' }];

/** One log with everything that it holds. What has nothing to do with it is left out. */
export default function Log({ params: { id = '' } }: ViewProps) {
  const query = useCall('logs.get', { params: { log_id: id } });
  return (
    <LoadedPage query={query} noun={nouns.entry} crumbs={crumbs}>
      {({ value: log }) => (
        <Page title={log.message} mark={<StateBadge state={log.level} />} crumbs={crumbs}>
          <Card title={t.entry}>
            <Facts log={log} />
          </Card>
          {Object.keys(log.data).length > 0 && (
            <Card title={t.data}>
              <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {JSON.stringify(log.data, null, 2)}
              </Code>
            </Card>
          )}
        </Page>
      )}
    </LoadedPage>
  );
}
