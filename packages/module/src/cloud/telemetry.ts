import type { Interface } from '@moorage/net';
import { statusObject } from '../services/broadcast.ts';
import type { ServiceParts } from '../services/service.ts';

/** Values of one message that the service takes. */
const maxValues = 64;

export type TelemetryValues = Readonly<Record<string, unknown>>;

/**
 * What a module reports of itself: what its status broadcast does, how long it runs (s), how much memory is in use (%),
 * and what an application adds. Spec: MOD-CHAN-telemetry.
 */
export function telemetryOf(board: ServiceParts, iface: Interface, added: TelemetryValues = {}): TelemetryValues {
  const own = {
    uptime: Math.floor(board.rtc.uptimeMs() / 1000),
    memory: board.variables.get('system.memory.usage'),
    ...statusObject(board, iface),
  };
  const addedNames = Object.keys(added);
  // A long `broadcast.data` gives way to what an application adds.
  const room = maxValues - addedNames.length;
  return { ...Object.fromEntries(Object.entries(own).slice(0, Math.max(0, room))), ...added };
}
