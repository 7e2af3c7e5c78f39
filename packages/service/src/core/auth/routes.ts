import {
  type authContract,
  type EndpointShape,
  type Refusal,
  refusal,
  resultOk,
  type Session,
  type tokensContract,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import { listed } from '../../engine/http/record-from.ts';
import { type Call, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { allowedProduct } from '../access/products.ts';
import { refuseLonger } from '../access/token-limits.ts';
import { makeToken, revokeToken } from './accounts.ts';
import { checkLogin } from './credentials.ts';
import type { AuthDeps } from './hooks.ts';
import { listTokens, renameToken, type TokenRow, tokenTitles, type UserRow } from './queries.ts';
import { readInvitation, signUp, signUpPolicy } from './sign-up.ts';
import { noteKnown } from './throttle.ts';
import { newClientId, tokenRecord } from './token-records.ts';

/**
 * Opens a login session: a token that is listed under the title Login, with the id of a session. Reference: records 1.6.
 *
 * @param openedBy what the user has shown; `factor` stands for a password with a second factor, `passkey` for
 * one alone, `provider` for another service that has let them in
 */
export async function openSession(
  deps: Deps,
  user: UserRow,
  { ip, headers }: Pick<Call<EndpointShape>, 'ip' | 'headers'>,
  openedBy: NonNullable<TokenRow['opened_by']> = 'password',
): Promise<Result<Session, Refusal>> {
  const { storage, clock } = deps;
  const client = newClientId();
  const userAgent = [headers['user-agent']].flat()[0];
  const token = await storage.transaction(async (trx) => {
    const atMs = clock.now();
    const made = await makeToken(trx, {
      userId: user.id,
      title: 'Login',
      client,
      userAgent,
      openedBy,
      provenAtMs: atMs,
      atMs,
    });
    const data = { by: openedBy };
    await writeLog(trx, { type: 'user.login', message: 'Logged in', atMs, userId: user.id, ip, client, data });
    return made.token;
  });
  await noteKnown(deps, user.id, ip);
  return success({ result: 'ok', token, client });
}

/** API-EP-POST-auth-login */
async function login(deps: AuthDeps, call: Call<(typeof authContract)['login']>) {
  const found = await checkLogin(deps, { ...call.body, ip: call.ip });
  return found.ok ? openSession(deps, found.value, call) : found;
}

/** API-EP-POST-auth-signup */
async function signup(deps: AuthDeps, call: Call<(typeof authContract)['signup']>) {
  const made = await signUp(deps, call.body, call.ip);
  return made.ok ? openSession(deps, made.value, call) : made;
}

/** Logging in and signing up: calls without a token. */
export const authRoutes = (deps: AuthDeps): Handlers<typeof authContract> => ({
  ...handlers(deps, { login, signup }),
  // API-EP-GET-auth-sign-up
  policy: (call) => success({ sign_up: signUpPolicy(deps.settings), ...deps.hooks.waysIn(call) }),
  // API-EP-POST-auth-invitation
  invitation: ({ body, ip }) => readInvitation(deps, body.invitation, ip),
});

/** `Token <n>` with the lowest n that none of the titles has. */
export function nextTitle(titles: readonly string[]): string {
  const used = new Set(titles);
  let number = 1;
  while (used.has(`Token ${number}`)) number += 1;
  return `Token ${number}`;
}

/** API-EP-GET-user-tokens */
const list = (deps: Deps, { caller, query }: Call<(typeof tokensContract)['list']>) =>
  listed(listTokens(deps.storage.db, caller.userId, paging(query, '-created_at')), (row) => tokenRecord(row, caller));

/** API-EP-POST-user-tokens */
async function create(deps: Deps, call: Call<(typeof tokensContract)['create']>) {
  const { userId } = call.caller;
  const { scopes, product_ids: productIds, days } = call.body;
  const unproven = refuseLonger(call.caller, days, deps.clock.now());
  if (unproven) return failure(unproven);
  for (const id of productIds ?? []) {
    const product = await allowedProduct(deps.storage.db, id, call.caller, 'product.read');
    if (!product.ok) return product;
  }
  const made = await deps.storage.transaction(async (trx) => {
    const atMs = deps.clock.now();
    const title = call.body.title ?? nextTitle(await tokenTitles(trx, userId));
    const made = await makeToken(trx, { userId, title, client: null, scopes, productIds, days, atMs });
    noteMade(made.row.id);
    const message = `Token "${title}" made`;
    const { scopes: kept, product_ids, expires_at } = tokenRecord(made.row, call.caller);
    const data = { scopes: kept, product_ids, expires_at };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'token.create', message, data });
    return made;
  });
  return success(tokenRecord(made.row, call.caller, made.token));
}

/** API-EP-PUT-user-tokens-token_id */
async function rename(deps: Deps, { caller, params, body }: Call<(typeof tokensContract)['rename']>) {
  const row = await renameToken(deps.storage.db, caller.userId, params.token_id, body.title);
  return row ? success(tokenRecord(row, caller)) : failure(refusal('NOT_FOUND', { what: 'Token' }));
}

/** API-EP-DELETE-user-tokens-token_id */
async function revoke(deps: Deps, { caller, params }: Call<(typeof tokensContract)['revoke']>) {
  const gone = await revokeToken(deps, params.token_id, caller.userId);
  return gone ? success(resultOk) : failure(refusal('NOT_FOUND', { what: 'Token' }));
}

/** The bearer tokens of a caller. */
export const tokenRoutes = (deps: Deps): Handlers<typeof tokensContract> =>
  handlers(deps, { list, create, rename, revoke });
