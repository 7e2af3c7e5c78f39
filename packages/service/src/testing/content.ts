import { openSnapshot } from '../engine/db/open-snapshot.ts';
import type { Snapshot } from '../engine/db/snapshot.ts';

/**
 * Every row of every table, and the counters, as a test compares them: whatever order rows and columns lie in.
 *
 * @param scratch as of `openSnapshot`
 */
export async function readContent(address: string, scratch: string) {
  const snapshot = await openSnapshot(address, scratch);
  const tables: Record<string, readonly string[]> = {};
  for (const { name } of snapshot.tables) tables[name] = (await rowsOf(snapshot, name)).sort();
  const counters = snapshot.tables.map(({ counter }) => counter?.last);
  await snapshot.close();
  return { tables, counters, migrations: snapshot.migrations };
}

async function rowsOf(snapshot: Snapshot, name: string): Promise<string[]> {
  const rows: string[] = [];
  const table = snapshot.tables.find((one) => one.name === name);
  if (!table) return rows;
  const order = [...table.columns.keys()].sort((a, b) =>
    (table.columns[a] ?? '') < (table.columns[b] ?? '') ? -1 : 1,
  );
  for await (const batch of snapshot.rows(table))
    rows.push(...batch.map((row) => JSON.stringify(order.map((at) => row[at]))));
  return rows;
}
