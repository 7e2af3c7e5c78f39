import pg from 'pg';
import { type PostgresAddress, postgresAddress } from '../../../stores/addresses.ts';
import { StorageError, UnusableError, wordsOf } from '../../../stores/health.ts';

/** How long one of several hosts has to reply before the next is tried, in ms. */
const hostTimeoutMs = 1_500;

/** As libpq tests it for `target_session_attrs=read-write`. */
const primarySql = `
  select current_setting('transaction_read_only') = 'off' and not pg_is_in_recovery() as primary`;

interface Host {
  readonly host: string;
  readonly port: number;
}

/** Finds the server of several that is there, and takes changes if that is wanted. Those who ask meanwhile share a search. */
class HostSearch {
  readonly #address: PostgresAddress;
  /** The one that was found last is tried first. */
  #at = 0;
  #underWay: Promise<Host> | undefined;

  constructor(address: PostgresAddress) {
    this.#address = address;
  }

  find(): Promise<Host> {
    this.#underWay ??= this.#find().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #find(): Promise<Host> {
    const { urls } = this.#address;
    const refusals: string[] = [];
    for (const step of urls.keys()) {
      const at = (this.#at + step) % urls.length;
      try {
        const found = await this.#try(urls[at] ?? '');
        this.#at = at;
        return found;
      } catch (error) {
        refusals.push(wordsOf(error));
      }
    }
    throw new StorageError({ kind: 'away', what: 'database' }, `No server can be used: ${refusals.join(', ')}`);
  }

  async #try(connectionString: string): Promise<Host> {
    const limits = { connectionTimeoutMillis: hostTimeoutMs, query_timeout: hostTimeoutMs };
    const client = new pg.Client({ connectionString, ...limits });
    // What waits for it hears of it.
    client.on('error', () => {});
    try {
      await client.connect();
      const { host, port } = client;
      const { rows } = await client.query<{ primary: boolean }>(primarySql);
      if (this.#address.isPrimaryWanted && !rows[0]?.primary) throw new Error(`${host}:${port} takes no changes`);
      client.end().catch(() => {});
      return { host, port };
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    }
  }
}

/** The driver's own, unless there is a choice: then each connection is made to the server that is found for it. */
function clientClass(address: PostgresAddress): typeof pg.Client {
  if (address.urls.length === 1 && !address.isPrimaryWanted) return pg.Client;
  const search = new HostSearch(address);
  return class extends pg.Client {
    async #connect(): Promise<pg.Client> {
      const { stream } = this.connection;
      try {
        const found = await search.find();
        if (stream.destroyed) throw new Error('Connection terminated while its server was looked for');
        // The driver reads them when it connects, and its types do not let them change.
        Object.assign(this, found);
        return await super.connect();
      } catch (error) {
        stream.destroy();
        throw error;
      }
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connected = this.#connect();
      if (!callback) return connected;
      const done = callback as (error?: Error) => void;
      connected.then(() => done(), done);
      return undefined;
    }
  };
}

/** How connections to a database are made. */
export interface PostgresServers {
  /** What a client is given; its class changes the host where there are several. */
  readonly url: string;
  readonly Client: typeof pg.Client;
}

/** The servers that an address names. @throws an `UnusableError` when it has another form */
export function serversAt(url: string): PostgresServers {
  const address = postgresAddress(url);
  if (!address.ok) throw new UnusableError(`Setting --database ${address.error}`, { isMalformed: true });
  return { url: address.value.urls[0] ?? url, Client: clientClass(address.value) };
}
