import type { Result } from '@moorage/base';
import type { Signal } from './gpio.ts';

/** A request of HTTP, and what is answered: plain text, as the power and output drivers of test benches read it. */
export interface RestCall {
  readonly method: string;
  /** Path without a query. */
  readonly path: string;
  readonly body: string;
}

export interface RestReply {
  readonly status: 200 | 400 | 404 | 405;
  readonly text: string;
}

/** What the calls act on. */
export interface RestWorld {
  /** Runs a request of the control port. */
  perform(request: Readonly<Record<string, unknown>>): Result<unknown, string>;
  /** `undefined` for a pin that the board does not have. */
  signal(pin: number): Signal | undefined;
  volts(pin: number): number | undefined;
  readonly hasPower: boolean;
  readonly faults: readonly string[];
}

interface Resource {
  readonly path: RegExp;
  readonly read?: (world: RestWorld, pin: number) => string | undefined;
  /** The request of the control port that a body stands for. */
  readonly write: (body: string, pin: number) => Readonly<Record<string, unknown>>;
}

const numberOf = (body: string): unknown => (/^-?\d+(\.\d+)?$/.test(body) ? Number(body) : body);

/** Levels as one digit; a pin that nothing drives is empty. */
function signalText(signal: Signal | undefined): string | undefined {
  if (signal === undefined) return undefined;
  if ('level' in signal) return signal.level === null ? '' : String(signal.level);
  return 'volts' in signal ? String(signal.volts) : JSON.stringify(signal);
}

const resources: readonly Resource[] = [
  {
    path: /^\/power$/,
    read: ({ hasPower }) => (hasPower ? '1' : '0'),
    write: (body) => ({ power: numberOf(body) }),
  },
  { path: /^\/reset$/, write: () => ({ reset: true }) },
  { path: /^\/faults$/, read: ({ faults }) => faults.join('\n'), write: (body) => ({ fault: body }) },
  {
    path: /^\/pins\/(\d{1,3})$/,
    read: (world, pin) => signalText(world.signal(pin)),
    write: (body, pin) => ({ drive: { pin, level: body === '' ? null : numberOf(body) } }),
  },
  {
    path: /^\/pins\/(\d{1,3})\/volts$/,
    read: (world, pin) => world.volts(pin)?.toString(),
    write: (body, pin) => ({ analog: { pin, volts: body === '' ? null : numberOf(body) } }),
  },
];

/** Answers one call: GET reads, PUT changes. */
export function restReply(world: RestWorld, { method, path, body }: RestCall): RestReply {
  const resource = resources.find((each) => each.path.test(path));
  if (!resource) return { status: 404, text: 'Paths are /power, /reset, /faults, /pins/N and /pins/N/volts' };
  const pin = Number(resource.path.exec(path)?.[1] ?? 0);
  if (method === 'PUT') {
    const done = world.perform(resource.write(body.trim(), pin));
    return done.ok ? { status: 200, text: '' } : { status: 400, text: done.error };
  }
  if (method !== 'GET' || !resource.read) return { status: 405, text: 'GET reads and PUT changes' };
  const text = resource.read(world, pin);
  return text === undefined ? { status: 404, text: `There is no pin ${pin}` } : { status: 200, text };
}
