/**
 * `run-guard.ts FOLDER [server]`: keeps the folder of a test run, and a PostgreSQL server, for as long as its parent
 * lives; both go with the parent's end of the pipe, however that came about. Prints the address of the server when it
 * is up, or an empty line. A parent that ends in good order says so first.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { PostgresServer } from './postgres-server.ts';

const [folder = '', wanted] = process.argv.slice(2);
const server = wanted === 'server' ? await PostgresServer.create({ durable: false }) : undefined;

/** Kills what a run that was killed has left: workers, and what they started. All have its folder in their environment. */
function killLeftovers(): void {
  if (process.platform !== 'linux') return;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid || pid === server?.pid) continue;
    try {
      const variables = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      if (variables.includes(`TMPDIR=${folder}`)) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself, or belongs to another user.
    }
  }
}

async function clear(): Promise<void> {
  await server?.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

let inOrder = false;
process.stdin.on('data', () => {
  inOrder = true;
});
process.stdin.once('end', async () => {
  if (!inOrder) killLeftovers();
  await clear();
  process.exit(0);
});
process.stdin.once('error', () => {});
try {
  await server?.start();
  process.stdout.write(`${server?.url() ?? ''}\n`);
} catch (error) {
  await clear();
  throw error;
}
