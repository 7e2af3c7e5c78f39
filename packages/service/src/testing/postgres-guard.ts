/**
 * Runs a PostgreSQL server for as long as its parent lives: it ends with the parent's end of the pipe, however that
 * came about. Prints the address of the server when it is up.
 */
import { PostgresServer } from './postgres-server.ts';

const server = await PostgresServer.create();
process.stdin.resume();
process.stdin.once('end', async () => {
  await server.remove();
  process.exit(0);
});
process.stdin.once('error', () => {});
try {
  await server.start();
  process.stdout.write(`${server.url()}\n`);
} catch (error) {
  await server.remove();
  throw error;
}
