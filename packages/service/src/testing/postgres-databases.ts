import pg from 'pg';

const duplicateDatabase = '42P04';

interface Server {
  /** Makes an empty database, or takes the one that is there; returns its address. */
  create(name: string): Promise<string>;
  /** Makes a copy of another database, to which no client is connected; returns its address. */
  copy(template: string, name: string): Promise<string>;
  drop(name: string): Promise<void>;
}

const withDatabase = (url: string, name: string): string => {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
};

/** Does something with the databases of a server. */
export async function onServer<T>(url: string, work: (server: Server) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const quoted = (name: string) => client.escapeIdentifier(name);
  try {
    return await work({
      async create(name) {
        try {
          await client.query(`create database ${quoted(name)}`);
        } catch (error) {
          if (!(error instanceof pg.DatabaseError) || error.code !== duplicateDatabase) throw error;
        }
        return withDatabase(url, name);
      },
      async copy(template, name) {
        // As files: cheaper than through the write-ahead log, and tests do not wait for disks.
        await client.query(`create database ${quoted(name)} template ${quoted(template)} strategy file_copy`);
        return withDatabase(url, name);
      },
      async drop(name) {
        await client.query(`drop database if exists ${quoted(name)} with (force)`);
      },
    });
  } finally {
    await client.end();
  }
}
