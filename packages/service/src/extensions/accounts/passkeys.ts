import {
  isPasskeyTransport,
  PasskeyRecord,
  type PasskeyRequest,
  type PasskeyTransport,
  type passkeysContract,
  type Refusal,
  refusal,
  resultOk,
  type ShownCredential,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { tryLogin } from '../../core/auth/credentials.ts';
import type { UserRow } from '../../core/auth/queries.ts';
import { beginSession } from '../../core/auth/session.ts';
import { countsOf, limits, refuseOverLimits } from '../../core/auth/throttle.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { isFromConsole } from '../../engine/http/console-session.ts';
import { recordFrom } from '../../engine/http/record-from.ts';
import { type Call, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { noteFactors } from './factor-queries.ts';
import { factorAdded, type OwnCall } from './factors.ts';
import {
  deletePasskey,
  insertPasskey,
  insertPasskeyChallenge,
  notePasskeyUse,
  type PasskeyRow,
  passkeyOfCredential,
  passkeysOf,
  passkeysOfLogin,
  renamePasskey,
  spendPasskeyChallenge,
} from './passkey-queries.ts';
import { challengeMs, finishLogin, type ShownFactor } from './second-step.ts';
import {
  algorithms,
  challengeIn,
  type PasskeyAddress,
  pagesAt,
  passkeyAddress,
  verifyMade,
  verifyShown,
  wireText,
} from './webauthn.ts';

type Contract = typeof passkeysContract;

/** Passkeys of one account. */
const passkeysLimit = 20;

const wrong = refusal('WRONG_PASSKEY');
const none = refusal('NOT_FOUND', { what: 'Passkey' });

const passkeyRecord = (row: PasskeyRow): PasskeyRecord => recordFrom(PasskeyRecord, row);

/** A passkey as browsers name it. */
const known = (row: PasskeyRow) => ({
  id: row.credential_id,
  type: 'public-key' as const,
  // Safe: only `add` writes them.
  transports: JSON.parse(row.transports) as PasskeyTransport[],
});

/** Where passkeys made now are for. Refusal: NO_PASSKEYS. */
function addressOf(
  { settings }: Deps,
  call: Pick<Call<Contract['begin']>, 'headers' | 'isEncrypted'>,
): Result<PasskeyAddress, Refusal> {
  const origin = pagesAt(settings, call);
  const address = passkeyAddress(origin);
  return address ? success(address) : failure(refusal('NO_PASSKEYS', { address: origin }));
}

/**
 * Where a passkey is good: at the address of the settings, else where it was made. Never where a request says that it
 * goes: programs on other ports of a host have the same name. Spec: API-RULE-passkey-1.
 */
const homeOf = ({ settings }: Deps, { origin }: PasskeyRow): PasskeyAddress | undefined =>
  passkeyAddress(settings.publicUrl ?? origin);

const requestAt = (
  { rpId }: PasskeyAddress,
  challenge: string,
  passkeys: readonly PasskeyRow[],
  userVerification: PasskeyRequest['userVerification'],
): PasskeyRequest => ({
  challenge,
  rpId,
  allowCredentials: passkeys.map(known),
  timeout: challengeMs,
  userVerification,
});

/** Something to sign, for a passkey of a user that is to be made, or for a sign-in. */
async function newChallenge({ storage, clock }: Deps, userId: string | null): Promise<string> {
  const challenge = wireText(newTokenValue());
  await insertPasskeyChallenge(storage.db, hashSecret(challenge), userId, clock.now() + challengeMs);
  return challenge;
}

/** The second step of a login has the challenge of that: it counts once and for this account as it is. */
async function beginStep(deps: Deps, call: Call<Contract['begin']>, challenge: string) {
  const found = addressOf(deps, call);
  if (!found.ok) return success({ options: null });
  const address = found.value;
  const passkeys = await passkeysOfLogin(deps.storage.db, hashSecret(challenge), deps.clock.now());
  const usable = passkeys.filter((row) => {
    const home = homeOf(deps, row);
    return home?.origin === address.origin && new URL(row.origin).hostname === address.rpId;
  });
  if (usable.length === 0) return success({ options: null });
  return success({ options: requestAt(address, wireText(challenge), usable, 'preferred') });
}

/** API-EP-POST-auth-passkey */
async function begin(deps: Deps, call: Call<Contract['begin']>) {
  if (!isFromConsole(call.headers)) return failure(refusal('CROSS_SITE'));
  if (call.body.challenge !== undefined) return beginStep(deps, call, call.body.challenge);
  const found = addressOf(deps, call);
  if (!found.ok) return found;
  const limited = await refuseOverLimits(deps, 'TOO_MANY_LOGINS', countsOf(limits.passkeyOfAddress, call.ip));
  if (limited) return failure(limited);
  // Whichever passkey the browser has: no name is asked for, so none is found out.
  return success({ options: requestAt(found.value, await newChallenge(deps, null), [], 'required') });
}

/** Looks at what a passkey has signed; the count in it. What is wrong with it is for the operator. */
async function look(
  deps: Deps,
  passkey: PasskeyRow,
  credential: ShownCredential,
  challenge: string,
  isUserVerified: boolean,
): Promise<number | undefined> {
  const home = homeOf(deps, passkey);
  if (!home) return undefined;
  const { userHandle } = credential.response;
  if (userHandle !== undefined && userHandle !== wireText(passkey.user_id)) return undefined;
  const key = { credentialId: passkey.credential_id, publicKey: passkey.public_key, counter: passkey.counter };
  const shown = await verifyShown(credential, key, { ...home, challenge, isUserVerified });
  if (shown.ok) return shown.value;
  deps.log.warn(`The passkey ${passkey.id} was refused: ${shown.error.slice(0, 300)}`);
  return undefined;
}

/** A passkey as the second step of a login with this challenge. */
const shownPasskey =
  (deps: Deps, credential: ShownCredential, challenge: string): ShownFactor =>
  async ({ id }, nowMs) => {
    const passkey = (await passkeyOfCredential(deps.storage.db, credential.id))?.passkey;
    const isOwn = passkey?.user_id === id;
    const counter = isOwn ? await look(deps, passkey, credential, wireText(challenge), false) : undefined;
    return async (trx) => {
      if (!passkey || counter === undefined) return wrong;
      return (await notePasskeyUse(trx, passkey.id, counter, nowMs)) ? undefined : wrong;
    };
  };

/** The account of a passkey alone. Refusals: WRONG_PASSKEY, ACCOUNT_DISABLED, TOO_MANY_LOGINS. */
export async function accountOfPasskey(
  deps: Deps,
  credential: ShownCredential,
  ip: string,
): Promise<Result<UserRow, Refusal>> {
  const { storage, clock } = deps;
  const found = await passkeyOfCredential(storage.db, credential.id);
  const name = found?.user.username ?? `passkey ${credential.id.slice(0, 64)}`;
  return tryLogin(deps, 'passkey', { name, user: found?.user, ip }, wrong, async () => {
    const now = clock.now();
    const challenge = challengeIn(credential.response.clientDataJSON);
    if (challenge === undefined || !(await spendPasskeyChallenge(storage.db, hashSecret(challenge), null, now))) {
      return false;
    }
    const counter = found && (await look(deps, found.passkey, credential, challenge, true));
    return counter !== undefined && (await notePasskeyUse(storage.db, found?.passkey.id ?? '', counter, now));
  });
}

/** API-EP-POST-auth-session-passkey */
async function open(deps: Deps, call: Call<Contract['open']>) {
  if (!isFromConsole(call.headers)) return failure(refusal('CROSS_SITE'));
  const { challenge, credential } = call.body;
  const isAlone = challenge === undefined;
  const found = isAlone
    ? await accountOfPasskey(deps, credential, call.ip)
    : await finishLogin(deps, challenge, call.ip, shownPasskey(deps, credential, challenge));
  return found.ok ? beginSession(deps, call, found.value, isAlone ? 'passkey' : 'factor') : found;
}

const tooMany = refusal('LIMIT_REACHED', { what: 'The account', limit: passkeysLimit, things: 'passkeys' });

/** API-EP-POST-user-passkeys-begin */
async function register(deps: Deps, call: Call<Contract['register']>) {
  const found = addressOf(deps, call);
  if (!found.ok) return found;
  const { userId, username } = call.caller;
  const own = await passkeysOf(deps.storage.db, userId);
  if (own.length >= passkeysLimit) return failure(tooMany);
  const options = {
    challenge: await newChallenge(deps, userId),
    rp: { id: found.value.rpId, name: 'Moorage' },
    user: { id: wireText(userId), name: username, displayName: username },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: challengeMs,
    attestation: 'none' as const,
    excludeCredentials: own.map(known),
    authenticatorSelection: {
      residentKey: 'preferred' as const,
      requireResidentKey: false as const,
      userVerification: 'preferred' as const,
    },
  };
  return success({ options });
}

/** Notes a change of the passkeys of an account in the log. */
const note = ({ clock }: Deps, trx: Parameters<typeof writeLog>[0], call: OwnCall, message: string): Promise<void> =>
  writeLog(trx, { ...byCaller(call, clock.now()), type: 'user.update', message });

/** API-EP-POST-user-passkeys */
async function add(deps: Deps, call: Call<Contract['add']>) {
  const { storage, clock, log } = deps;
  const { userId } = call.caller;
  const { title, credential } = call.body;
  const found = addressOf(deps, call);
  if (!found.ok) return found;
  const challenge = challengeIn(credential.response.clientDataJSON);
  const isOpen =
    challenge !== undefined && (await spendPasskeyChallenge(storage.db, hashSecret(challenge), userId, clock.now()));
  if (!isOpen) return failure(wrong);
  const made = await verifyMade(credential, found.value, challenge);
  if (!made.ok) {
    log.warn(`A passkey was refused: ${made.error.slice(0, 300)}`);
    return failure(wrong);
  }
  const { credentialId, publicKey, counter } = made.value;
  return storage.transaction(async (trx) => {
    if ((await passkeysOf(trx, userId)).length >= passkeysLimit) return failure(tooMany);
    const row = await insertPasskey(trx, {
      user_id: userId,
      credential_id: credentialId,
      public_key: publicKey,
      counter,
      transports: JSON.stringify((credential.response.transports ?? []).filter(isPasskeyTransport)),
      origin: found.value.origin,
      title,
      created_at: clock.now(),
    });
    if (!row) return failure(wrong);
    const recovery_codes = await factorAdded(deps, trx, call);
    await note(deps, trx, call, `Passkey "${title}" added`);
    return success({ passkey: passkeyRecord(row), recovery_codes });
  });
}

/** API-EP-PUT-user-passkeys-passkey_id */
const rename = (deps: Deps, call: Call<Contract['rename']>) =>
  deps.storage.transaction(async (trx) => {
    const row = await renamePasskey(trx, call.caller.userId, call.params.passkey_id, call.body.title);
    if (!row) return failure(none);
    await note(deps, trx, call, `Passkey renamed to "${row.title}"`);
    return success(passkeyRecord(row));
  });

/** API-EP-POST-user-passkeys-passkey_id-remove */
const remove = (deps: Deps, call: Call<Contract['remove']>) =>
  deps.storage.transaction(async (trx) => {
    const { userId } = call.caller;
    const gone = await deletePasskey(trx, userId, call.params.passkey_id);
    if (!gone) return failure(none);
    await noteFactors(trx, userId);
    await note(deps, trx, call, `Passkey "${gone.title}" removed`);
    return success(resultOk);
  });

/** API-EP-GET-user-passkeys */
const list = async ({ storage }: Deps, { caller }: Call<Contract['list']>) =>
  success((await passkeysOf(storage.db, caller.userId)).map(passkeyRecord));

/** Signing in with a passkey, and the passkeys of one's own account. */
export const passkeyRoutes = (deps: Deps): Handlers<Contract> =>
  handlers(deps, { begin, open, list, register, add, rename, remove });
