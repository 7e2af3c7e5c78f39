import type { DeviceContents } from '@moorage/api';
import type { Schema } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';

/** The tables whose rows of a device go with it, by the field that counts them. */
const counted = {
  streams: 'streams',
  controls: 'controls',
  messages: 'messages',
  updates: 'updates',
  attributes: 'attributes',
  labels: 'labels',
  nodes: 'device_nodes',
  rollouts: 'executions',
  logs_kept: 'logs',
} as const satisfies Partial<Record<keyof DeviceContents, keyof Schema>>;

/** What would go with a device that is deleted, counted. */
export async function contentsOf(db: Db, deviceId: string): Promise<DeviceContents> {
  const count = async (table: (typeof counted)[keyof typeof counted]): Promise<number> => {
    const rows = db.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('n'));
    return (await rows.where('device_id', '=', deviceId).executeTakeFirstOrThrow()).n;
  };
  const files = await db
    .selectFrom('files')
    .select((eb) => [eb.fn.countAll<number>().as('files'), eb.fn.sum<number | null>('size').as('bytes')])
    .where('device_id', '=', deviceId)
    .executeTakeFirstOrThrow();
  return {
    files: files.files,
    file_bytes: Number(files.bytes ?? 0),
    streams: await count(counted.streams),
    controls: await count(counted.controls),
    messages: await count(counted.messages),
    updates: await count(counted.updates),
    attributes: await count(counted.attributes),
    labels: await count(counted.labels),
    nodes: await count(counted.nodes),
    rollouts: await count(counted.rollouts),
    logs_kept: await count(counted.logs_kept),
  };
}
