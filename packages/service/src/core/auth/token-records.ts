import { randomBytes } from 'node:crypto';
import { TokenRecord, type TokenScope } from '@moorage/api';
import { sessionMaxAgeS } from '../../engine/http/console-session.ts';
import { recordFrom } from '../../engine/http/record-from.ts';
import type { Caller } from '../../engine/http/types.ts';
import { randomText } from '../../engine/secrets.ts';
import type { TokenRow } from './queries.ts';

/** A token as lists show it: its value only in the reply that made it. Spec: API-RULE-token-1. */
export const tokenRecord = (
  row: TokenRow,
  { tokenId }: Pick<Caller, 'tokenId'>,
  token: string = row.tail,
): TokenRecord =>
  recordFrom(TokenRecord, row, {
    token,
    // Safe: only `makeToken` writes them.
    scopes: row.scopes === null ? ['all'] : (JSON.parse(row.scopes) as TokenScope[]),
    product_ids: row.product_ids === null ? null : (JSON.parse(row.product_ids) as string[]),
    current: row.id === tokenId,
    // A login session ends by its age, whatever its row says.
    ...(row.client !== null && { expires_at: String(row.created_at + sessionMaxAgeS * 1_000) }),
  });

/** A new id of a login session: 32 lower-case hex digits. */
export const newClientId = (): string => randomBytes(16).toString('hex');

/** A password for a user who did not choose one: 20 letters and digits, 119 bits. */
export const newPassword = (): string => randomText(20);
