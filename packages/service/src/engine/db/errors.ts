import pg from 'pg';

/** SQLite's extended codes of a violated primary key and unique index. */
const sqliteUniqueCodes: readonly number[] = [1555, 2067];
const postgresUniqueCode = '23505';
const sqliteForeignKeyCode = 787;
const postgresForeignKeyCode = '23503';

const sqliteCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;

/** Whether a unique index or primary key refused a row. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? error.code === postgresUniqueCode
    : sqliteUniqueCodes.includes(sqliteCode(error) ?? 0);

/** A deadlock, and a lock that was not to be had in the time that was set for it. */
const lockCodes: readonly (string | undefined)[] = ['40P01', '55P03'];

/** Whether the database has ended a transaction because others had what it waited for. */
export const isLockedOut = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && lockCodes.includes(error.code);

/** A migration of another process has changed a table under a prepared statement: asking again prepares anew. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.code === '0A000' &&
  /cached plan must not change result type/.test(error.message);

/** Whether a row points at something that is gone, or something still points at the row. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? error.code === postgresForeignKeyCode
    : sqliteCode(error) === sqliteForeignKeyCode;
