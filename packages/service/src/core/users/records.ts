import { type ListedUserRecord, optionalTimestamp, type UserRecord } from '@moorage/api';
import type { UserRow } from './queries.ts';

/** The record of a user. Reference: records 1.5. */
export const userRecord = (row: UserRow): UserRecord => ({
  id: row.id,
  email: row.email,
  username: row.username,
  name_given: row.name_given,
  name_family: row.name_family,
  organisation: row.organisation,
  role: row.role,
  customer_id: row.customer_id,
  customer_role: row.customer_id === null ? null : row.customer_role,
  avatar_id: row.avatar_id,
  created_at: String(row.created_at),
  email_confirmed_at: optionalTimestamp(row.email_confirmed_at),
});

/** The record of a user in the hands of administrators. */
export const listedUser = (row: UserRow): ListedUserRecord => ({
  ...userRecord(row),
  disabled_at: optionalTimestamp(row.disabled_at),
  second_factor: row.second_factor === 1,
});
