import { randomInt } from 'node:crypto';
import {
  type EndpointShape,
  type factorsContract,
  optionalTimestamp,
  type Refusal,
  refusal,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { announceAccess, findAccount } from '../../core/access/accounts.ts';
import { endSessions, type UserRow } from '../../core/auth/queries.ts';
import { openSession } from '../../core/auth/routes.ts';
import { beginSession } from '../../core/auth/session.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { wantsFactor } from '../../engine/http/bearer.ts';
import { isFromConsole } from '../../engine/http/console-session.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import {
  confirmPending,
  countCodes,
  deleteTotp,
  keepPending,
  noteFactors,
  replaceCodes,
  totpOf,
} from './factor-queries.ts';
import { deletePasskeys, passkeysOf } from './passkey-queries.ts';
import {
  finishLogin,
  newTotpSecret,
  recoveryCodeHash,
  shownCode,
  totpStep,
  totpUrl,
  tryFactor,
} from './second-step.ts';

type Contract = typeof factorsContract;
export type OwnCall = Pick<Call<EndpointShape>, 'ip'> & { readonly caller: Caller };

const recoveryCodes = 10;
/** Without letters and digits that look alike; 16 of them are 80 bits. */
const codeLetters = '23456789abcdefghjkmnpqrstuvwxyz';
const group = (): string => Array.from({ length: 4 }, () => codeLetters[randomInt(codeLetters.length)]).join('');
const newRecoveryCode = (): string => Array.from({ length: 4 }, group).join('-');

export const accountOf = ({ caller }: OwnCall) => ({ id: caller.userId, username: caller.username });

/** A change of one's factors, with its line in the log. */
function change<T>(
  deps: Deps,
  call: OwnCall & Pick<Call<EndpointShape>, 'headers'>,
  message: string,
  work: (trx: Db) => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  return deps.storage.transaction(async (trx) => {
    const done = await work(trx);
    if (done.ok) await writeLog(trx, { ...byCaller(call, deps.clock.now()), type: 'user.update', message });
    return done;
  });
}

/** Makes recovery codes in place of those before. Spec: API-RULE-factor-3. */
async function makeCodes(trx: Db, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, newRecoveryCode);
  await replaceCodes(trx, userId, codes.map(recoveryCodeHash));
  return codes;
}

/** What follows from a factor that counts from now on: sessions that did without it end. Returns recovery codes. */
export async function factorAdded({ storage }: Deps, trx: Db, { caller }: OwnCall): Promise<string[]> {
  await noteFactors(trx, caller.userId);
  if ((await countCodes(trx, caller.userId)) > 0) return [];
  await endSessions(trx, caller.userId, caller.tokenId);
  announceAccess(storage, trx, caller.userId);
  return makeCodes(trx, caller.userId);
}

/** API-EP-GET-user-second-factor */
async function get({ storage, settings }: Deps, { caller }: Call<Contract['get']>) {
  const at = optionalTimestamp((await totpOf(storage.db, caller.userId))?.confirmed_at ?? null);
  return success({
    needed: wantsFactor(settings.secondFactor, caller.role),
    totp: at === null ? null : { created_at: at },
    passkeys: (await passkeysOf(storage.db, caller.userId)).length,
    recovery_codes: await countCodes(storage.db, caller.userId),
  });
}

/** API-EP-POST-user-second-factor-totp */
function setUpTotp(deps: Deps, call: Call<Contract['setUpTotp']>) {
  const secret = newTotpSecret();
  return change(deps, call, 'Secret of an app for codes made', async (trx) => {
    await keepPending(trx, call.caller.userId, secret);
    return success({ secret, url: totpUrl(secret, call.caller.username) });
  });
}

/** API-EP-POST-user-second-factor-totp-confirm */
function confirmTotp(deps: Deps, call: Call<Contract['confirmTotp']>) {
  const { userId } = call.caller;
  const now = deps.clock.now();
  return tryFactor(
    deps,
    accountOf(call),
    call.ip,
    async (trx): Promise<Result<{ recovery_codes: string[] }, Refusal>> => {
      const pending = (await totpOf(trx, userId))?.pending;
      const step = pending ? totpStep(pending, call.body.code, now) : undefined;
      if (!pending || step === undefined || !(await confirmPending(trx, userId, pending, step, now))) {
        return failure(refusal('WRONG_SECOND_FACTOR'));
      }
      const recovery_codes = await factorAdded(deps, trx, call);
      const message = 'Second factor: codes of an app';
      await writeLog(trx, { ...byCaller(call, now), type: 'user.update', message });
      return success({ recovery_codes });
    },
  );
}

/** API-EP-POST-user-second-factor-totp-remove */
const removeTotp = (deps: Deps, call: Call<Contract['removeTotp']>) =>
  change(deps, call, 'Second factor removed: codes of an app', async (trx) => {
    if (!(await deleteTotp(trx, call.caller.userId))) return failure(refusal('NOT_FOUND', { what: 'App for codes' }));
    await noteFactors(trx, call.caller.userId);
    return success(resultOk);
  });

/** API-EP-POST-user-second-factor-recovery-codes */
const renewCodes = (deps: Deps, call: Call<Contract['renewCodes']>) =>
  change(deps, call, 'Recovery codes made', async (trx) =>
    (await noteFactors(trx, call.caller.userId))
      ? success({ recovery_codes: await makeCodes(trx, call.caller.userId) })
      : failure(refusal('NOT_FOUND', { what: 'Second factor' })),
  );

/** The second factor of accounts: the second step of a login, and what users do with theirs. */
export const factorRoutes = (deps: Deps): Handlers<Contract> => ({
  ...handlers(deps, { get, setUpTotp, confirmTotp, removeTotp, renewCodes }),
  // API-EP-POST-auth-second-factor
  async login(call) {
    const found = await finishLogin(deps, call.body.challenge, call.ip, shownCode(call.body.code));
    return found.ok ? openSession(deps, found.value, call, 'factor') : found;
  },
  // API-EP-POST-auth-session-second-factor
  async open(call) {
    if (!isFromConsole(call.headers)) return failure(refusal('CROSS_SITE'));
    const found = await finishLogin(deps, call.body.challenge, call.ip, shownCode(call.body.code));
    return found.ok ? beginSession(deps, call, found.value, 'factor') : found;
  },
});

/** Forgets the factors of an account whose user has lost them. Its sessions end. */
export async function forgetFactors(trx: Db, userId: string): Promise<void> {
  await deleteTotp(trx, userId);
  await deletePasskeys(trx, userId);
  await noteFactors(trx, userId);
  await endSessions(trx, userId);
}

/** The same on the command line, by email address or user name. The refusal is NOT_FOUND. */
export const resetFactors = (
  { storage, clock }: Pick<Deps, 'storage' | 'clock'>,
  name: string,
): Promise<Result<UserRow, Refusal>> =>
  storage.transaction(async (trx): Promise<Result<UserRow, Refusal>> => {
    const user = await findAccount(trx, name);
    if (!user) return failure(refusal('NOT_FOUND', { what: `User "${name}"` }));
    await forgetFactors(trx, user.id);
    announceAccess(storage, trx, user.id);
    const message = 'Second factor removed on the command line';
    await writeLog(trx, { type: 'user.update', message, atMs: clock.now(), userId: user.id });
    return success(user);
  });
