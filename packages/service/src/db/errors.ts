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

/** Whether the database has ended a transaction because it and others waited for each other. */
export const isDeadlock = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '40P01';

/** Whether a row points at something that is gone, or something still points at the row. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? error.code === postgresForeignKeyCode
    : sqliteCode(error) === sqliteForeignKeyCode;
