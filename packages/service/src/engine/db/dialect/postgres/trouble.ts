import pg from 'pg';
import type { StorageTrouble } from '../../../stores/health.ts';

/** Codes of a server: no room on its disk, no connection left or a statement over its limit, shutdown, start and the rest. */
const serverCodes: readonly (readonly [RegExp, StorageTrouble['kind']])[] = [
  [/^53100$/, 'full'],
  [/^(53300|57014)$/, 'busy'],
  [/^(08\w{3}|53\w{3}|57P0[123])$/, 'away'],
];
/** What the host says of a connection that cannot be made, or has ended. */
const hostCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** The driver gives these no code. */
const driverTexts =
  /^(Connection terminated\b|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (was closed|has encountered a connection error) and is not queryable)/;

/** What an error of PostgreSQL or of the way to it says of the database; nothing when the statement itself is to blame. */
export function postgresTrouble(error: Error): StorageTrouble['kind'] | undefined {
  if (error instanceof pg.DatabaseError) return serverCodes.find(([codes]) => codes.test(error.code ?? ''))?.[1];
  const code = 'code' in error ? error.code : undefined;
  // A client that leaves in the middle of its request ends that with the same code, but by no call of the host.
  const isAway = code === 'ECONNRESET' ? 'syscall' in error : hostCodes.has(code) || driverTexts.test(error.message);
  return isAway ? 'away' : undefined;
}
