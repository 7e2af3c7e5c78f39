import { ListedUserRecord, UserRecord } from '@moorage/api';
import { recordFrom } from '../../engine/http/record-from.ts';
import type { UserRow } from './queries.ts';

/** The record of a user. Reference: records 1.5. */
export const userRecord = (row: UserRow): UserRecord =>
  recordFrom(UserRecord, row, { customer_role: row.customer_id === null ? null : row.customer_role });

/** The record of a user in the hands of administrators. */
export const listedUser = (row: UserRow): ListedUserRecord => recordFrom(ListedUserRecord, row, userRecord(row));
