/**
 * The thread that moves committed pages from the log file into the database file, so that the requests do not wait for
 * the disk. One message is one checkpoint; the answer says that it is over.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './connection.ts';

// Safe: only the checkpointer starts this thread, with the path of the database.
const connection = new SqliteConnection(workerData as string, 'write');

parentPort?.on('message', () => {
  connection.db.exec('pragma wal_checkpoint(passive)');
  parentPort?.postMessage('done');
});
