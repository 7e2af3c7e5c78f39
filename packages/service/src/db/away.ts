/** Whether a statement failed because the database is away; one in a file never is. */
export { isPostgresAway as isStorageAway } from './dialect/postgres/away.ts';
