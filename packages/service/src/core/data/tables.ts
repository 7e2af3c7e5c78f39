import * as t from '../../engine/db/table.ts';

export const dataTables = {
  /** What a device can do and who activated it at the data cloud. Reference: data-cloud 1.2. */
  activations: t.table({
    device_id: t.keyed(t.part('devices')),
    user_id: t.part('users'),
    /** Capabilities file as JSON. */
    capabilities: t.text,
    activated_at: t.time,
  }),
  /** A time series of a device. */
  streams: t.table({ id: t.counter, device_id: t.part('devices'), name: t.name }, [t.unique('device_id', 'name')]),
  /**
   * One sample; `seq` tells apart what came in the same millisecond, in the order in which it came. A hundred million of
   * these: nothing but the key, which is the order in which they are read, and the value.
   */
  samples: t.table(
    {
      stream_id: t.keyed(t.partOfCounted('streams')),
      at: t.keyed(t.time),
      seq: t.keyed(t.integer),
      /** Exactly one of the two has a value. */
      number: t.optional(t.real),
      text: t.optional(t.text),
    },
    [],
    { ordered: true, partitionBy: 'at', loose: true },
  ),
  /** Batches that have been written, so that one that is sent again is not. */
  sample_batches: t.table({ device_id: t.keyed(t.part('devices')), batch: t.key, created_at: t.time }, [
    t.index('created_at'),
  ]),
  /** The last value of a control. */
  controls: t.table({
    device_id: t.keyed(t.part('devices')),
    name: t.keyed(t.name),
    /** JSON: a number or a text. */
    value: t.text,
    at: t.time,
    source: t.word<'device' | 'user'>(),
    /** The device has it. */
    delivered: t.flag,
  }),
  /** Values that controls have had. */
  control_values: t.table(
    {
      id: t.counter,
      device_id: t.part('devices'),
      name: t.name,
      value: t.text,
      at: t.time,
      source: t.word<'device' | 'user'>(),
      user_id: t.forgets('users'),
    },
    [t.index('at'), t.index('device_id', 'name', 'at')],
  ),
  /** A message in one of the two boxes of a device. */
  messages: t.table(
    {
      /** Order of arrival. */
      seq: t.counter,
      id: t.text,
      device_id: t.part('devices'),
      box: t.word<'to-device' | 'from-device'>(),
      /** JSON object of texts. */
      headers: t.text,
      data: t.text,
      /** Bytes of `data` as UTF-8. */
      length: t.integer,
      created_at: t.time,
    },
    [t.unique('id'), t.index('created_at'), t.index('device_id', 'box', 'seq')],
  ),
};
