import { doorName, doorNameLength } from '@moorage/api';

/** The tenant of a client that names no product. */
const anyTenant = 'default';

/** Whether a client that names this tenant means the product: as everybody, or by its full code, in any letter case. */
export const meansProduct = (tenant: string, product: string): boolean =>
  tenant.toLowerCase() === anyTenant || tenant.toUpperCase() === product;

const namePattern = new RegExp(doorName);

/** Whether a device may have this name behind a door. */
export const isDoorName = (name: string): boolean => name.length <= doorNameLength && namePattern.test(name);

/** What is kept of the messages of one update. Spec: API-DOOR-messages. */
export const messageLimits = { lines: 5_000, lineChars: 1_000 } as const;

/** Lines as they are kept, after those that are there: what is beyond the limits is cut off, and told in the last line. */
export function linesToKeep(lines: readonly string[], before: number): string[] {
  const room = Math.max(0, messageLimits.lines - before);
  const kept = lines.slice(0, room).map((line) => line.slice(0, messageLimits.lineChars));
  if (lines.length > room && room > 0) kept[room - 1] = 'What follows is not kept: the log of this update is full';
  return kept;
}
