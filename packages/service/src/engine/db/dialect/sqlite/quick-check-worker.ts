/** The thread that looks through a database file for what is malformed, so that no request waits for it. */
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './connection.ts';

// Safe: only `quickCheck` starts this thread, with the path of the database.
const connection = new SqliteConnection(workerData as string, 'read');
// Safe: the statement answers with one row of this column.
const { quick_check: found } = connection.get('pragma quick_check(1)') as { quick_check: string };
connection.close();
parentPort?.postMessage(found);
