import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildServer, missingProgram } from './child-server.ts';
import { freePort } from './postgres-server.ts';

/** Why tests with PgBouncer are left out; empty where it is installed. */
export const pgBouncerMissing = missingProgram('pgbouncer', 'pgbouncer');

/** A PgBouncer of our own on loopback, in transaction mode; it keeps its port when it is started again. */
export class PgBouncer {
  #server: ChildServer | undefined;
  #folder: string | undefined;

  /** Starts it before a database server; returns the database's address through it. */
  async open(database: string): Promise<string> {
    const { hostname, port, username, password, pathname } = new URL(database);
    this.#folder = mkdtempSync(join(tmpdir(), 'moorage-pgbouncer-'));
    // It gives up its rights before it reads the file again.
    chmodSync(this.#folder, 0o755);
    const listen = await freePort();
    const config = [
      '[databases]',
      `* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listen}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'max_client_conn = 1000',
      'ignore_startup_parameters = statement_timeout',
      // It does not run as root.
      ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
    ];
    const file = join(this.#folder, 'pgbouncer.ini');
    writeFileSync(file, `${config.join('\n')}\n`);
    this.#server = new ChildServer('pgbouncer', [file], /process up: /);
    await this.#server.start();
    return `postgres://${username}:${password}@127.0.0.1:${listen}${pathname}`;
  }

  async restart(): Promise<void> {
    await this.#server?.stop();
    await this.#server?.start();
  }

  async remove(): Promise<void> {
    await this.#server?.stop();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}
