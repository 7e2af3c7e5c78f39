import { optionalTimestamp, type TokenRecord, type TokenScope } from '@moorage/api';
import type { Caller } from '../../engine/http/types.ts';
import type { TokenRow } from './queries.ts';

/** A token as lists show it: its value only in the reply that made it. Spec: API-RULE-token-1. */
export const tokenRecord = (
  row: TokenRow,
  { tokenId }: Pick<Caller, 'tokenId'>,
  value: string = row.tail,
): TokenRecord => ({
  id: row.id,
  title: row.title,
  token: value,
  client: row.client,
  created_at: String(row.created_at),
  last_used_at: optionalTimestamp(row.last_used_at),
  last_used_ip: row.last_used_ip,
  // Safe: only `makeToken` writes them.
  scopes: row.scopes === null ? ['all'] : (JSON.parse(row.scopes) as TokenScope[]),
  product_ids: row.product_ids === null ? null : (JSON.parse(row.product_ids) as string[]),
  expires_at: optionalTimestamp(row.expires_at),
  user_agent: row.user_agent,
  current: row.id === tokenId,
});
