import { type Refusal, refusalFor } from '@moorage/api';
import { failure, type Result } from '@moorage/base';
import { networksOf } from '../../engine/http/networks.ts';
import type { Deps, Limit } from '../../engine/http/types.ts';
import { beginAll, type Count, countsOf, limits, ofNetwork } from './throttle.ts';

/** What people come in with; `secret` is one that names no account: a link, an invitation, a sign-in at the provider. */
type SecretKind = 'password' | 'factor' | 'passkey' | 'secret';

interface Client {
  /** Id of the account, or the name of one that is not there. Every other kind is for an account. */
  readonly account?: string;
  /** Address that the request came from. */
  readonly ip: string;
}

/** Where an account has logged in lately. Spec: API-RULE-known-1. */
const known: Limit = { kind: 'login.known', most: 1, windowMs: 30 * 86_400_000 };

/** Notes that somebody has come in at an account: the address and the network are known for it from now on. */
export async function noteKnown({ attempts }: Pick<Deps, 'attempts'>, account: string, ip: string): Promise<void> {
  const { address, network } = networksOf(ip);
  await attempts.note(known, `${account} ${address}`);
  await attempts.note(known, `${account} ${network}`);
}

/**
 * What a failed try counts against, the narrowest first. What others do does not stop a client that is known: where its
 * address is, its network does not count, and where its network is, all the others do not. Spec: API-LIMIT-login,
 * API-RULE-known-1.
 */
async function countsOfTry({ attempts }: Pick<Deps, 'attempts'>, kind: SecretKind, { account, ip }: Client) {
  if (account === undefined) return countsOf(limits.loginOfAddress, ip);
  const { address, network } = networksOf(ip);
  const tried = `${kind} ${account}`;
  const counts: Count[] = [
    [limits.loginOfName, `${tried} ${address}`],
    [limits.loginOfAddress, address],
  ];
  if (await attempts.isNoted(known, `${account} ${address}`)) return counts;
  counts.push([limits.loginOfNetwork, `${tried} ${network}`], [ofNetwork(limits.loginOfAddress), network]);
  // A passkey cannot be guessed, and is the way in that is left when others try passwords.
  if (kind === 'passkey' || (await attempts.isNoted(known, `${account} ${network}`))) return counts;
  return [...counts, [limits.loginInAll, tried] as const];
}

/**
 * Looks at what somebody shows to come in, as often as the limits allow: the one way to try a password, a factor or
 * another secret of a person. Refusals: TOO_MANY_LOGINS, those of `show`, which count. Spec: API-LIMIT-login.
 */
export async function trySecret<T>(
  deps: Pick<Deps, 'attempts'>,
  kind: SecretKind,
  client: Client,
  show: () => Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const begun = await beginAll(deps, await countsOfTry(deps, kind, client));
  if (!begun.ok) return failure(refusalFor('TOO_MANY_LOGINS', begun.error.retryAfterS));
  const shown = await show();
  if (!shown.ok) return shown;
  const [first, ...others] = begun.value;
  // What this client has failed before is forgotten, and of what it shares with others this attempt alone.
  await (client.account === undefined ? first?.undo() : first?.clear());
  for (const attempt of others) await attempt.undo();
  return shown;
}
