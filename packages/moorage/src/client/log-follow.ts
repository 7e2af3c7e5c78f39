import type { LogListQuery, LogRecord } from '@moorage/api';
import { Turns } from '@moorage/base';
import type { ServiceClient } from './service-client.ts';

/** Logs whose ids are remembered, so that none is shown twice. */
const rememberedLogs = 5_000;

/** What of the live events of a service fits the query of a list of logs. */
interface LogFollowing {
  readonly service: ServiceClient;
  readonly query: Pick<LogListQuery, 'device_id' | 'level' | 'product_id' | 'q' | 'type'>;
  readonly show: (log: LogRecord) => void;
}

const parse = (data: string): LogRecord | undefined => {
  try {
    const event: unknown = JSON.parse(data);
    // Safe: events with an id and a type are records of logs; those of devices have no id.
    return typeof event === 'object' && event !== null && 'id' in event && 'type' in event
      ? (event as LogRecord)
      : undefined;
  } catch {
    return undefined;
  }
};

/** Shows logs as they come, each once and in order; `onEvent` takes the data of an event, or '' after a gap. */
export class LogFollow {
  readonly #parts: LogFollowing;
  readonly #seen = new Set<string>();
  #lastMs = 0;
  readonly #turns = new Turns();

  constructor(parts: LogFollowing) {
    this.#parts = parts;
  }

  /** Shows logs that are known already, the newest last. */
  begin(logs: readonly LogRecord[], nowMs: number): void {
    this.#lastMs = Number(logs.at(-1)?.created_at ?? nowMs);
    for (const log of logs) this.#take(log);
  }

  /** One after the other: a look after a gap ends before what came later is shown. */
  onEvent(data: string): Promise<void> {
    return this.#turns.run(async () => {
      if (data === '') return this.#look();
      const log = parse(data);
      if (log && this.#fits(log)) this.#take(log);
    });
  }

  /** What has been written since the last log. A service that is away is looked at again when its events are back. */
  async #look(): Promise<void> {
    const { service, query } = this.#parts;
    const page = { ...query, from: this.#lastMs, sort: 'created_at' } as const;
    const missed = await service.all((at) => service.call('logs.list', { query: { ...page, ...at } })).catch(() => []);
    for (const log of missed) this.#take(log);
  }

  #fits(log: LogRecord): boolean {
    const { device_id, level, product_id, q, type } = this.#parts.query;
    return (
      (device_id === undefined || log.device_id === device_id) &&
      (product_id === undefined || log.product_id === product_id) &&
      (level === undefined || log.level === level) &&
      (type === undefined || log.type === type) &&
      (q === undefined || log.message.toLowerCase().includes(q.toLowerCase()))
    );
  }

  #take(log: LogRecord): void {
    if (this.#seen.has(log.id)) return;
    this.#seen.add(log.id);
    if (this.#seen.size > rememberedLogs) this.#seen.delete(this.#seen.values().next().value ?? '');
    this.#lastMs = Math.max(this.#lastMs, Number(log.created_at));
    this.#parts.show(log);
  }
}
