import pg from 'pg';

/** SQLite's extended codes of a violated primary key and unique index. */
const sqliteUniqueCodes: readonly number[] = [1555, 2067];
const postgresUniqueCode = '23505';
const sqliteForeignKeyCode = 787;
const postgresForeignKeyCode = '23503';

export interface UniqueViolation {
  /** Columns (`users.email`, from SQLite) or the name of the index (`users_email`, from PostgreSQL). */
  readonly constraintOrColumns: string;
}

const sqliteCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;

/** What was doubled, when `error` says that a unique index or primary key refused a row. */
export function isUniqueViolation(error: unknown): UniqueViolation | undefined {
  if (error instanceof pg.DatabaseError) {
    return error.code === postgresUniqueCode ? { constraintOrColumns: error.constraint ?? '' } : undefined;
  }
  if (!sqliteUniqueCodes.includes(sqliteCode(error) ?? 0) || !(error instanceof Error)) return undefined;
  return { constraintOrColumns: error.message.replace(/^.*constraint failed: /, '') };
}

/** Whether a violation concerns the column, however the database names it. Indexes are called `<table>_<column>`. */
export const violates = (violation: UniqueViolation, table: string, column: string): boolean =>
  violation.constraintOrColumns === `${table}_${column}` ||
  violation.constraintOrColumns.split(', ').includes(`${table}.${column}`);

/** Whether a row points at something that is gone, or something still points at the row. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? error.code === postgresForeignKeyCode
    : sqliteCode(error) === sqliteForeignKeyCode;
