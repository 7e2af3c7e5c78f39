import { manyDevicesLimit } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { clientOptions, connect } from '../client/service-client.ts';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import { printable } from '../command-line/table.ts';

/** Labels to set and to remove: `NAME=VALUE`, and `NAME-`. The error quotes the wrong one. */
export function readLabels(texts: readonly string[]): Result<Record<string, string | null>, string> {
  const labels: Record<string, string | null> = {};
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = at < 0 ? text.replace(/-$/, '') : text.slice(0, at);
    if (name === '' || name === text) return failure(`Argument LABEL is "${text}", not NAME=VALUE or NAME-`);
    labels[name] = at < 0 ? null : text.slice(at + 1);
  }
  return success(labels);
}

export const labelCommand = defineCliCommand({
  name: 'label',
  summary: 'Set and remove labels of one device, or of all that fit a filter',
  arguments: [{ name: 'LABEL', help: 'NAME=VALUE sets one, NAME- removes it', many: true }],
  options: {
    ...clientOptions,
    device: { kind: 'text', placeholder: 'DEVICE', help: 'id, uuid, MAC or Bluetooth address' },
    filter: { kind: 'text', placeholder: 'FILTER', help: 'devices in RSQL: product==ACME-BERTH1_TIDE' },
  },
  async run({ options, args, reporter }) {
    const read = readLabels(args);
    if (!read.ok) throw new UserError(read.error, 2);
    const labels = read.value;
    const { device, filter } = options;
    if ((device === undefined) === (filter === undefined)) {
      throw new UserError('One of --device and --filter has to say which devices', 2);
    }
    const service = await connect(options, [
      ['labels', 'Argument LABEL'],
      ['device_id', 'Option --device'],
      ['filter', 'Option --filter'],
    ]);
    if (device !== undefined) {
      const { value } = await service.call('attributes.setLabels', { params: { device_id: device }, body: { labels } });
      const text = Object.entries(value).map(([name, one]) => `${name}=${printable(one)}`);
      return reporter.event('labels', { device, labels: value }, `Labels of ${device}: ${text.join(' ') || 'none'}`);
    }
    // All of them before the first is changed: afterwards some might not fit the filter any more.
    const query = { sort: 'uuid', ...(filter !== undefined && { filter }) } as const;
    const found = await service.all((page) => service.call('devices.list', { query: { ...query, ...page } }));
    const result = { ok: 0, refused: 0 };
    for (let from = 0; from < found.length; from += manyDevicesLimit) {
      const device_ids = found.slice(from, from + manyDevicesLimit).map(({ id }) => id);
      const { value } = await service.call('attributes.setManyLabels', { body: { device_ids, labels } });
      result.ok += value.ok;
      result.refused += value.refused.length;
      for (const one of value.refused) {
        reporter.event('refused', one, `${one.device_id}: ${one.message}`);
      }
    }
    reporter.event('labelled', result, `${result.ok} of ${found.length} devices have these labels`);
    if (result.refused > 0) throw new UserError(`${result.refused} devices were refused`);
  },
});
