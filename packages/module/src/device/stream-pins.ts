import type { OutputRole, PinRoles } from './pin-roles.ts';
import type { Stream, StreamTable } from './streams.ts';

const ofTcpServer = ({ type }: Stream): boolean => type === 'TCPS' || type === 'TLSS';

/** Pins that show a host the state of streams, and when each is high. */
const rules: readonly { readonly role: OutputRole; readonly shows: (stream: Stream) => boolean }[] = [
  // Spec: MOD-VAR-tcp.server.connected_gpio.
  { role: 'tcp.server.connected_gpio', shows: ofTcpServer },
  // Spec: MOD-VAR-tcp.server.data_gpio.
  { role: 'tcp.server.data_gpio', shows: (stream) => ofTcpServer(stream) && stream.available() > 0 },
  // Spec: MOD-VAR-udp.server.data_gpio.
  { role: 'udp.server.data_gpio', shows: (stream) => stream.type === 'UDPS' && stream.available() > 0 },
];

/** `system.oob.gpio` as it was at boot: -1 for no pin. */
export interface OutOfBand {
  readonly pin: number;
  readonly events: readonly string[];
}

/** What a value such as `12 data,connected` says. */
export function outOfBand(value: string): OutOfBand {
  const [pin = '', events = ''] = value.split(' ');
  return { pin: pin === '' ? -1 : Number(pin), events: events.split(',') };
}

const isConnection = ({ type }: Stream): boolean => type !== 'FILE' && type !== 'CMD';

/** When a connection makes an event of `system.oob.gpio` hold. */
const eventRules: Readonly<Record<string, (stream: Stream) => boolean>> = {
  data: (stream) => stream.available() > 0,
  connected: () => true,
};

/** Sets the pins that show streams. */
export function showStreams(streams: StreamTable, roles: PinRoles, { events }: OutOfBand): void {
  for (const { role, shows } of rules) {
    if (roles.pinOf(role) === undefined) continue;
    roles.put(role, streams.list().some(({ stream }) => shows(stream)) ? 1 : 0);
  }
  // Spec: MOD-VAR-system.oob.gpio.
  if (roles.pinOf('system.oob.gpio') === undefined) return;
  const connections = streams.list().filter(({ stream }) => isConnection(stream));
  const holds = events.some((event) => connections.some(({ stream }) => eventRules[event]?.(stream)));
  roles.put('system.oob.gpio', holds ? 1 : 0);
}
