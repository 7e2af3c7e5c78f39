/**
 * A process that writes until it is killed: `node crash-writer.ts DATABASE PREFIX`. It prints the name of each record
 * on a line of its own once the record is acknowledged, and not before.
 */
import { writeSync } from 'node:fs';
import { openRecords } from '../tables.ts';

const [, , database = '', prefix = ''] = process.argv;
const storage = await openRecords(database);
const standardOutput = 1;
/** Writers side by side, so that there is always something under way. */
const lanes = 4;

async function write(lane: number): Promise<void> {
  for (let number = 0; ; number++) {
    const name = `${prefix}-${lane}-${number}`;
    const values = { name, value: 'x'.repeat(number % 500) };
    if (number % 2 === 0) await storage.db.insertInto('settings').values(values).execute();
    else await storage.transaction((trx) => trx.insertInto('settings').values(values).execute());
    writeSync(standardOutput, `${name}\n`);
  }
}

await Promise.all(Array.from({ length: lanes }, (_, lane) => write(lane)));
