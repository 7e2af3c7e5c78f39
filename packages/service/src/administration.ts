import {
  type AuthorityRecord,
  Email,
  type Refusal,
  refusal,
  spellings,
  type TokenScope,
  tokensContract,
} from '@moorage/api';
import { failure, type Result, realClock, success } from '@moorage/base';
import Value from 'typebox/value';
import { findAccount } from './core/access/accounts.ts';
import { createUser, issueToken, type NewAccount, replacePassword } from './core/auth/accounts.ts';
import { type MadeInvitation, makeInvitation, signUpPolicy } from './core/auth/sign-up.ts';
import { listAuthorities, retireAuthority, rotateAuthority } from './core/certificates/authorities.ts';
import { version } from './core/meta/version.ts';
import { backUp, type Carried } from './engine/backup/backup.ts';
import { restore } from './engine/backup/restore.ts';
import { openBlobs, type S3Access } from './engine/blobs/backends/open.ts';
import { lookAtBlobs } from './engine/db/blob-records.ts';
import type { Storage } from './engine/db/storage.ts';
import type { Settings } from './engine/settings/settings.ts';
import { deleteChallenges } from './extensions/accounts/factor-queries.ts';
import { resetFactors } from './extensions/accounts/factors.ts';
import { auditingCommand } from './extensions/audit/changes.ts';
import { openRecords, records } from './tables.ts';

export {
  ensureAdministrator,
  firstAdministrator,
  isPasswordLate,
  issueToken,
  newPassword,
  revokeToken,
} from './core/auth/accounts.ts';
export { BackupError } from './engine/backup/format.ts';

/** The rules of signing up and of naming a token, for those who do it without the API: an address of an account. */
export const isEmail = (text: string): boolean => Value.Check(Email, text);
/** A title that a token may have. */
export const isTokenTitle = (text: string): boolean => Value.Check(tokensContract.rename.body.properties.title, text);

/** Where a service keeps its things; it may be running meanwhile. */
type Place = Pick<Settings, 'database' | 'blobs'>;

async function withStorage<T>({ database }: Place, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openRecords(database);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** The same for what changes something: it leaves a row in the audit. */
const changing = <T>(place: Place, action: string, work: (storage: Storage) => Promise<T>): Promise<T> =>
  withStorage(place, (storage) => auditingCommand(storage, action, () => work(storage)));

/** Makes an account. Refusals: DUPLICATE, WEAK_PASSWORD. */
export const addUser = (place: Place, account: NewAccount, role: 'user' | 'admin') =>
  changing(place, 'user add', (storage) => createUser({ storage, clock: realClock }, account, role));

/** Makes an invitation; its token is known this once. Refusals: SIGN_UP_CLOSED, LIMIT_REACHED. */
export const inviteUser = (
  place: Settings,
  invitation: Parameters<typeof makeInvitation>[1],
): Promise<Result<MadeInvitation, Refusal>> =>
  signUpPolicy(place) === 'closed'
    ? Promise.resolve(failure(refusal('SIGN_UP_CLOSED')))
    : changing(place, 'user invite', (storage) => makeInvitation({ storage, clock: realClock }, invitation));

/** Gives the user of an email address or user name another password. Refusals: NOT_FOUND, WEAK_PASSWORD. */
export const changeUserPassword = (place: Place, name: string, password: string) =>
  changing(place, 'user password', (storage) =>
    replacePassword({ storage, clock: realClock }, name, password, deleteChallenges),
  );

/** Forgets the second factor of the account of an email address or user name. The refusal is NOT_FOUND. */
export const resetFactorsOf = (place: Place, name: string) =>
  changing(place, 'user factor-reset', (storage) => resetFactors({ storage, clock: realClock }, name));

/** What a token is limited to; products by their full code. */
export interface TokenWishes {
  readonly scopes?: readonly TokenScope[] | undefined;
  readonly products?: readonly string[];
  readonly days?: number | undefined;
}

/** Makes a bearer token for the user of an email address or user name; its value is known this once. */
export const addToken = (
  place: Place,
  name: string,
  title: string,
  { products = [], ...limits }: TokenWishes = {},
): Promise<Result<string, Refusal>> =>
  changing(place, 'token add', async (storage) => {
    const user = await findAccount(storage.db, name);
    if (!user) return failure(refusal('NOT_FOUND', { what: `User "${name}"` }));
    const productIds: string[] = [];
    for (const product of products) {
      const row = await storage.db
        .selectFrom('products')
        .select('id')
        .where('product', '=', spellings.code(product))
        .executeTakeFirst();
      if (!row) return failure(refusal('NOT_FOUND', { what: `Product "${product}"` }));
      productIds.push(row.id);
    }
    const only = productIds.length > 0 ? { productIds } : {};
    return success((await issueToken({ storage, clock: realClock }, user.id, title, { ...limits, ...only })).token);
  });

/** The authorities of the installation, and how many devices go by each. */
export const showAuthorities = (place: Place): Promise<AuthorityRecord[]> =>
  withStorage(place, (storage) => listAuthorities({ storage, clock: realClock }));

/** Makes another authority; a service that runs takes it within seconds. The refusal is ROTATION_OPEN. */
export const rotate = (place: Place) =>
  changing(place, 'authority rotate', (storage) => rotateAuthority({ storage, clock: realClock }));

/** Ends the trust in the replaced authority. Refusals: NOTHING_TO_RETIRE, ROTATION_SETTLING, DEVICES_STRANDED, which is never when forced. */
export const retire = (place: Place, force: boolean) =>
  changing(place, 'authority retire', (storage) => retireAuthority({ storage, clock: realClock }, force));

/** Brings the tables up to date; returns the migrations that were due. */
export const migrateStorage = (place: Place): Promise<readonly string[]> =>
  withStorage(place, async ({ migrated }) => migrated);

/** Writes a backup to `file`. @throws {BackupError} */
export const backUpStorage = async (place: Place & S3Access, file: string): Promise<Carried> =>
  backUp({
    database: place.database,
    blobs: await openBlobs(place.blobs, place),
    file,
    version,
    clock: realClock,
  });

/** A stored content that is not what was stored. */
export interface DamagedContent {
  readonly sha256: string;
  readonly state: 'altered' | 'missing';
  /** Records that have it. */
  readonly usedBy: readonly string[];
}

/** Looks at all stored contents; calls `onDamaged` with each that is wrong. Returns how many there are. */
export const checkStoredFiles = (place: Place & S3Access, onDamaged: (found: DamagedContent) => void) =>
  withStorage(place, async (storage) => {
    let count = 0;
    for await (const { state, ...found } of lookAtBlobs(storage.db, await openBlobs(place.blobs, place))) {
      count++;
      if (state !== 'whole') onDamaged({ ...found, state });
    }
    return count;
  });

/** Brings a backup into an empty storage. @throws {BackupError} */
export const restoreStorage = (place: Place & S3Access, file: string): Promise<Carried> =>
  restore({ database: place.database, records, openBlobs: () => openBlobs(place.blobs, place), file });
