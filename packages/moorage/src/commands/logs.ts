import { type LogRecord, logLevels, logTypes } from '@moorage/api';
import { realClock } from '@moorage/base';
import { productNamed } from '../client/lookups.ts';
import { clientOptions, connect } from '../client/service-client.ts';
import { defineCliCommand } from '../command-line/define.ts';
import { printable, timeText } from '../command-line/table.ts';
import { wordOf } from '../command-line/words.ts';

/** One log as a line: when, how bad, which type, about what, and what. */
function logLine({ created_at, level, type, device, product, message }: LogRecord): string {
  const about = device ?? product;
  return printable(
    `${timeText(created_at, 'second')} ${level.padEnd(7)} ${type} ${about === null ? '' : `${about}: `}${message}`,
  );
}

export const logsCommand = defineCliCommand({
  name: 'logs',
  summary: 'What has happened, the newest last; with --follow also what happens, until Ctrl-C',
  options: {
    ...clientOptions,
    follow: { kind: 'switch', help: 'stay, and show logs as they come' },
    device: { kind: 'text', placeholder: 'DEVICE', help: 'of this device: id, uuid, MAC or Bluetooth address' },
    product: { kind: 'text', placeholder: 'PRODUCT', help: 'of this product: code or id' },
    type: { kind: 'text', placeholder: 'TYPE', help: 'of this type, such as ota.fail' },
    level: { kind: 'text', placeholder: logLevels.join('|'), help: 'of this level' },
    find: { kind: 'text', placeholder: 'TEXT', help: 'part of the message' },
    limit: { kind: 'count', placeholder: 'LOGS', default: 20, help: 'as many older ones at most' },
  },
  async run({ options, reporter }) {
    const type = wordOf(logTypes, options.type, 'Option --type');
    const level = wordOf(logLevels, options.level, 'Option --level');
    const { device, find, follow, limit } = options;
    const service = await connect(options, [
      ['identifier', 'Option --device'],
      ['q', 'Option --find'],
    ]);
    const product = options.product === undefined ? undefined : await productNamed(service, options.product);
    const found =
      device === undefined ? undefined : await service.call('devices.get', { params: { identifier: device } });
    const query = {
      ...(found && { device_id: found.value.id }),
      ...(product && { product_id: product.id }),
      ...(type && { type }),
      ...(level && { level }),
      ...(find !== undefined && { q: find }),
    };
    const { LogFollow } = await import('../client/log-follow.ts');
    const show = (log: LogRecord): void => reporter.event('log', log, logLine(log));
    const following = new LogFollow({ service, query, show });
    const known =
      limit === 0
        ? []
        : await service.all((page) => service.call('logs.list', { query: { ...query, ...page } }), limit);
    following.begin(known.reverse(), Date.now());
    if (!follow) return;
    const { followEvents } = await import('../client/live-events.ts');
    const { stopOnSignal } = await import('../command-line/lifecycle.ts');
    const events = followEvents(service, realClock, (data) => void following.onEvent(data));
    stopOnSignal(async () => events.close());
  },
});
