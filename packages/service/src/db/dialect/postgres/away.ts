import pg from 'pg';

/** Classes and codes with which a server says that it cannot serve now: connection, resources, shutdown and start. */
const serverCodes = /^(08\w{3}|53\w{3}|57P0[123])$/;
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
  /^(Connection terminated\b|timeout exceeded when trying to connect|timeout expired|Client (was closed|has encountered a connection error) and is not queryable)/;

/** Whether a statement failed because the server is away, and not by its own fault. */
export function isPostgresAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return serverCodes.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  // A client that leaves in the middle of its request ends that with the same code, but by no call of the host.
  if (code === 'ECONNRESET') return 'syscall' in error;
  return hostCodes.has(code) || driverTexts.test(error.message);
}
