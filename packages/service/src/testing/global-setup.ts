import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { openStorage } from '../db/open.ts';
import { onServer } from './postgres-databases.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A database of the PostgreSQL server that the test run may do anything with. */
    readonly postgresUrl: string;
    /** Name of the database that the others are copied from: all tables, no rows. */
    readonly postgresTemplate: string;
  }
}

const guard = fileURLToPath(new URL('./postgres-guard.ts', import.meta.url));

/** Starts a server under a guard, which stops and removes it even when the test run is killed. */
function startGuarded(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  // Its own process group: Ctrl-C in the terminal ends the test run first, then the guard sees the pipe close.
  const process_ = spawn(process.execPath, [guard], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const exited = new Promise<void>((resolve) => process_.once('exit', () => resolve()));
  return new Promise((resolve, reject) => {
    let output = '';
    process_.once('error', reject);
    process_.once('exit', () => reject(new Error('PostgreSQL for the tests did not start')));
    process_.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (!output.endsWith('\n')) return;
      resolve({
        url: output.trim(),
        stop: async () => {
          process_.stdin.end();
          await exited;
        },
      });
    });
  });
}

/**
 * One real PostgreSQL server for the whole test run, with a template database whose tables are made. The variable
 * TEST_DATABASE_URL names another server to use; its user must be allowed to create databases.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const started = given === undefined ? await startGuarded() : undefined;
  const url = given ?? started?.url ?? '';
  console.log(given === undefined ? 'PostgreSQL for the tests is up' : 'Tests use the server of TEST_DATABASE_URL');
  const template = `moorage_template_${process.pid}`;
  await (await openStorage(await onServer(url, (server) => server.create(template)))).close();
  project.provide('postgresUrl', url);
  project.provide('postgresTemplate', template);
  return async () => {
    if (started) await started.stop();
    else await onServer(url, (server) => server.drop(template));
  };
}
