import { Code } from '@mantine/core';
import { useCall } from '../../api/queries.ts';
import type { ViewProps } from '../../routes.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { formatMoment, msOf } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';

/** One log with everything that it holds. */
export default function Log({ params: { id = '' } }: ViewProps) {
  const query = useCall('logs.get', { params: { log_id: id } });
  return (
    <Loaded query={query} label="Loading the log">
      {({ value: log }) => (
        <Page title={log.message} mark={<StateBadge state={log.level} />} crumbs={[{ title: 'Logs', href: '/logs' }]}>
          <Fields>
            <Field label="Time" value={formatMoment(msOf(log.created_at))} />
            <Field label="Type" value={log.type}>
              <PageLink href={`/logs?type=${log.type}`}>{log.type}</PageLink>
            </Field>
            <Field label="Id" value={log.id} mono />
            <Field label="Device" value={log.device_id}>
              {log.device_id && <PageLink href={`/devices/${log.device_id}`}>{log.device ?? log.device_id}</PageLink>}
            </Field>
            <Field label="Product" value={log.product_id}>
              {log.product_id && (
                <PageLink href={`/products/${log.product_id}`}>{log.product ?? log.product_id}</PageLink>
              )}
            </Field>
            <Field label="Bundle" value={log.bundle_id}>
              {log.bundle_id && <PageLink href={`/bundles/${log.bundle_id}`}>{log.bundle_id}</PageLink>}
            </Field>
            <Field label="User" value={log.user} />
            <Field label="Address" value={log.ip} mono />
            <Field label="Login session" value={log.client} mono />
          </Fields>
          {Object.keys(log.data).length > 0 && (
            <Card title="Data">
              <Code block tabIndex={0} aria-label="Data of the log" role="region">
                {JSON.stringify(log.data, null, 2)}
              </Code>
            </Card>
          )}
        </Page>
      )}
    </Loaded>
  );
}
