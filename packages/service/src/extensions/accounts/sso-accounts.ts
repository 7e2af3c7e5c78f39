import { productUsersLimit, type Refusal, refusal } from '@moorage/api';
import { defined, failure, type Result, success } from '@moorage/base';
import { announceAccess, findAccount } from '../../core/access/accounts.ts';
import { createUser } from '../../core/auth/accounts.ts';
import { refuseWhenBusy } from '../../core/auth/credentials.ts';
import { spendInvitation } from '../../core/auth/invitation-queries.ts';
import type { UserRow } from '../../core/auth/queries.ts';
import { newPassword } from '../../core/auth/token-records.ts';
import { countMembers, deleteMember, memberOf, productToJoin, putMember } from '../../core/products/people-queries.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import type { OidcPerson, OidcProvider } from '../../engine/outbound/oidc.ts';
import { type GroupRights, rightsOf, type SsoGroups } from '../../engine/settings/sso-groups.ts';
import { setRole } from './account-queries.ts';
import { confirmAddress } from './link-queries.ts';
import { insertLink, invitationFor, linkedAccount, touchLink } from './sso-queries.ts';

export interface SsoDeps extends Deps {
  /** None where the settings name no provider. */
  readonly provider: OidcProvider | undefined;
  /** Who comes in with which rights; everybody, with those given here, without it. */
  readonly groups: SsoGroups | undefined;
}

const addressPattern = /^[^\s@\0]{1,64}@[^\s@\0]{1,189}$/;
const nameLength = 100;

/** The address of a person, when the provider has made sure of it; one says so as a text. */
function confirmedAddress({ email, email_verified }: OidcPerson['claims']): string | undefined {
  const isConfirmed = email_verified === true || email_verified === 'true';
  return isConfirmed && typeof email === 'string' && addressPattern.test(email) ? email.toLowerCase() : undefined;
}

const addressOf = ({ email }: OidcPerson['claims']): string | null =>
  typeof email === 'string' ? email.slice(0, 254) : null;

const nameIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, nameLength) : undefined;

/** Links the person to the account that has their address, when its user has shown that it is theirs. */
async function linkByAddress(
  trx: Db,
  { clock }: SsoDeps,
  person: OidcPerson,
  user: UserRow,
  ip: string,
): Promise<Refusal | undefined> {
  // Otherwise a person who signs up with the address of another gets what that other keeps here. Spec: API-RULE-sso-2.
  if (user.email_confirmed_at === null) return refusal('SSO_ADDRESS_TAKEN');
  await insertLink(trx, user.id, person, addressOf(person.claims), clock.now());
  const message = 'Linked to single sign-on by its confirmed address';
  await writeLog(trx, { type: 'user.update', message, atMs: clock.now(), userId: user.id, ip });
  return undefined;
}

/** Makes the account of a person who has none. Refusals: SSO_NO_ACCOUNT, DUPLICATE, BUSY. */
async function makeAccount(
  deps: SsoDeps,
  person: OidcPerson,
  email: string,
  role: 'user' | 'admin' | undefined,
): Promise<Result<UserRow, Refusal>> {
  const { storage, clock, settings } = deps;
  const invitation = await invitationFor(storage.db, email, clock.now());
  if (!invitation && settings.oidcAccounts === 'invited') return failure(refusal('SSO_NO_ACCOUNT'));
  const overload = refuseWhenBusy();
  if (overload) return failure(overload);
  const { given_name, family_name } = person.claims;
  const names = defined({ name_given: nameIn(given_name), name_family: nameIn(family_name) });
  const account = { email, password: newPassword(), ...names };
  return createUser(deps, account, role ?? invitation?.role ?? 'user', async (trx, user) => {
    await confirmAddress(trx, user.id, clock.now());
    await insertLink(trx, user.id, person, email, clock.now());
    const spent = !invitation || (await spendInvitation(trx, invitation.id, user.id, clock.now()));
    return spent ? undefined : refusal('SSO_NO_ACCOUNT');
  });
}

/** The account of a person, found, linked or made. */
async function accountOf(
  deps: SsoDeps,
  person: OidcPerson,
  role: 'user' | 'admin' | undefined,
  ip: string,
): Promise<Result<UserRow, Refusal>> {
  const email = confirmedAddress(person.claims);
  const found = await transactionOverConflicts(
    deps.storage,
    async (trx): Promise<Result<UserRow | undefined, Refusal>> => {
      const linked = await linkedAccount(trx, person);
      const known = linked ?? (email === undefined ? undefined : await findAccount(trx, email));
      if (known && known.disabled_at !== null) return failure(refusal('ACCOUNT_DISABLED'));
      if (linked) {
        await touchLink(trx, person, addressOf(person.claims), deps.clock.now());
        return success(linked);
      }
      const refused = known && (await linkByAddress(trx, deps, person, known, ip));
      return refused ? failure(refused) : success(known);
    },
  );
  if (!found.ok) return found;
  if (found.value) return success(found.value);
  if (email === undefined) return failure(refusal('SSO_NO_ADDRESS'));
  return makeAccount(deps, person, email, role);
}

/** Gives an account what the groups of its person say, and takes what they do not. Spec: API-RULE-sso-3. */
async function applyRights(deps: SsoDeps, user: UserRow, rights: GroupRights, ip: string): Promise<UserRow> {
  const { storage, clock, log } = deps;
  return transactionOverConflicts(storage, async (trx) => {
    const { role } = rights;
    let now = user;
    // People of customers are what their customer makes of them.
    if (role !== undefined && user.role !== 'customer' && user.role !== role) {
      if (await setRole(trx, user, role)) {
        now = { ...user, role };
        const data = { user_id: user.id, user: user.username, role, before: { role: user.role } };
        const message = `Account ${user.username} is ${role} by the groups of the provider`;
        await writeLog(trx, { type: 'user.update', message, atMs: clock.now(), userId: user.id, ip, data });
        announceAccess(storage, trx, user.id);
      } else log.warn(`Account ${user.username} stays the last administrator, whatever the groups of the provider say`);
    }
    for (const [productId, role] of rights.products) {
      const changed = await setGroupMember(deps, trx, { productId, user, role, ip });
      if (changed) announceAccess(storage, trx, user.id);
    }
    return now;
  });
}

/**
 * The account that a person whom the provider has signed in comes in with, its rights brought up to date. Refusals:
 * SSO_NO_GROUP, SSO_NO_ADDRESS, SSO_NO_ACCOUNT, SSO_ADDRESS_TAKEN, ACCOUNT_DISABLED, BUSY.
 */
export async function accountFor(deps: SsoDeps, person: OidcPerson, ip: string): Promise<Result<UserRow, Refusal>> {
  const rights = deps.groups && rightsOf(deps.groups, person.claims);
  if (deps.groups && !rights) return failure(refusal('SSO_NO_GROUP'));
  const first = await accountOf(deps, person, rights?.role, ip);
  // Two tabs at once: the other one has made the account.
  const found = !first.ok && first.error.code === 'DUPLICATE' ? await accountOf(deps, person, rights?.role, ip) : first;
  if (!found.ok || !rights) return found;
  return success(await applyRights(deps, found.value, rights, ip));
}

/** Links a person to the account of a user who has asked for it. Refusals: SSO_LINKED, ACCOUNT_DISABLED. */
export function linkAccount(
  { storage, clock }: SsoDeps,
  person: OidcPerson,
  userId: string,
  ip: string,
): Promise<Refusal | undefined> {
  return transactionOverConflicts(storage, async (trx) => {
    const linked = await linkedAccount(trx, person);
    if (linked) return linked.id === userId ? undefined : refusal('SSO_LINKED');
    await insertLink(trx, userId, person, addressOf(person.claims), clock.now());
    const message = 'Linked to single sign-on by its user';
    await writeLog(trx, { type: 'user.update', message, atMs: clock.now(), userId, ip });
    return undefined;
  });
}

/** Somebody whom groups of a provider make a member of a product, or no more. */
export interface GroupMember {
  readonly productId: string;
  readonly user: { readonly id: string; readonly username: string };
  /** None takes them off the product. */
  readonly role: 'manager' | 'tester' | undefined;
  readonly ip: string;
}

/**
 * Makes a membership what the groups of a provider say, in a transaction of the caller. Returns whether that has changed
 * anything; a deleted product, one that they own and one without room stay as they are.
 */
export async function setGroupMember(
  { clock }: Pick<Deps, 'clock'>,
  trx: Db,
  { productId, user, role, ip }: GroupMember,
): Promise<boolean> {
  const product = await productToJoin(trx, productId);
  const known = await memberOf(trx, productId, user.id);
  if (!product || product.user_id === user.id || known?.role === role) return false;
  const atMs = clock.now();
  const log = { atMs, userId: user.id, ip, productId, concernedId: user.id };
  const before = known?.role ?? null;
  if (role === undefined) {
    await deleteMember(trx, productId, user.id);
    const message = `User ${user.username} taken off product ${product.product} by the groups of the provider`;
    const data = { user_id: user.id, before };
    await writeLog(trx, { ...log, type: 'product.user_remove', message, data });
    return true;
  }
  if (!known && (await countMembers(trx, productId)) >= productUsersLimit) return false;
  await putMember(trx, { product_id: productId, user_id: user.id, role, created_at: atMs });
  const message = `User ${user.username} is ${role} of product ${product.product} by the groups of the provider`;
  await writeLog(trx, { ...log, type: 'product.user_add', message, data: { user_id: user.id, role, before } });
  return true;
}
