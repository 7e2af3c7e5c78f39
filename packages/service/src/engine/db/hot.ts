import type { CustomerRole } from '@moorage/api';
import type { Row } from './schema.ts';
import type { Flag } from './table.ts';

/** What the bearer check needs of a token and its user. */
export interface TokenOwner {
  readonly token_hash: string;
  readonly token_id: string;
  readonly user_id: string;
  readonly client: string | null;
  readonly last_used_at: number | null;
  readonly created_at: number;
  readonly scopes: string | null;
  readonly product_ids: string | null;
  readonly expires_at: number | null;
  readonly username: string;
  readonly role: Row<'users'>['role'];
  readonly customer_id: string | null;
  /** Of a login session: what opened it. */
  readonly opened_by: Row<'tokens'>['opened_by'];
  readonly proven_at: number | null;
  readonly second_factor: Flag;
  readonly customer_role: CustomerRole;
}

export type DeviceRow = Row<'devices'>;

/** Contacts of a device that follow each other within this time are one, ms. */
export const contactMs = 20_000;

/** A device was heard of: when (epoch ms) and from which address; without one a connection of it has ended. */
export interface Touch {
  readonly deviceId: string;
  readonly atMs: number;
  readonly ip: string | null;
}

/**
 * The statements of the busiest paths, written by hand. Each answers what a query of the query builder would;
 * everything else uses the query builder. On PostgreSQL those who ask for a row together share a statement.
 */
export interface HotPaths {
  /** The user behind the SHA-256 (lower-case hex) of a bearer value, unless the account is disabled, or the product that it belongs to is in the trash. */
  callerByTokenHash(tokenHash: string): Promise<TokenOwner | undefined>;
  deviceById(id: string): Promise<DeviceRow | undefined>;
  /** `uuid` in lower case. */
  deviceByUuid(uuid: string): Promise<DeviceRow | undefined>;
  /**
   * Records that a device was heard of, and how long it was silent before. Calls that come together are committed together; the promise resolves when
   * this one is durable.
   */
  touchDevice(deviceId: string, atMs: number, ip: string | null): Promise<void>;
  /** Counts one poll of a device, epoch ms; written with a later contact, or when the counts are read. */
  countPoll(productId: string, ownerId: string | null, atMs: number): void;
  /** Writes the polls that this process has counted so far. */
  flushPolls(): Promise<void>;
  /** Records when a token was last used, and from which address. */
  touchToken(tokenId: string, atMs: number, ip: string | null): Promise<void>;
}

export const callerSql = `
  select t.token_hash, t.id as token_id, t.user_id, t.client, t.last_used_at, t.created_at, t.scopes, t.product_ids,
    t.expires_at, t.opened_by, t.proven_at, u.username, u.role, u.customer_id, u.customer_role, u.second_factor
  from tokens t join users u on u.id = t.user_id and u.disabled_at is null and (u.service_product_id is null
    or exists (select 1 from products p where p.id = u.service_product_id and p.trashed = 0)) where t.token_hash = `;
