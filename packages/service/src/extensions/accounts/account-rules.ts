import { type AccountRecord, type accountsContract, type BodyOf, type Refusal, refusal } from '@moorage/api';
import type { UserRow } from '../../core/users/queries.ts';

/** Those columns of an account that a request changes; one who is no longer an administrator is of their customer again. */
export function accountChange(
  account: Pick<UserRow, 'role' | 'customer_id' | 'disabled_at'>,
  { role, disabled }: BodyOf<(typeof accountsContract)['update']>,
  atMs: number,
): Partial<Pick<UserRow, 'role' | 'disabled_at'>> {
  const plain = account.customer_id === null ? 'user' : 'customer';
  const wanted = role === 'user' ? plain : role;
  return {
    ...(wanted !== undefined && wanted !== account.role && { role: wanted }),
    ...(disabled !== undefined &&
      disabled !== (account.disabled_at !== null) && { disabled_at: disabled ? atMs : null }),
  };
}

/** Whether the service has an administrator less after the change. */
export const losesAdministrator = (
  account: Pick<UserRow, 'role' | 'disabled_at'>,
  change: Partial<Pick<UserRow, 'role' | 'disabled_at'>>,
): boolean => {
  const isOne = ({ role, disabled_at }: Pick<UserRow, 'role' | 'disabled_at'>) =>
    role === 'admin' && disabled_at === null;
  return isOne(account) && !isOne({ ...account, ...change });
};

/** Why an account cannot go without an heir: ACCOUNT_OWNS, with the numbers. Spec: API-RULE-accounts-2. */
export function refuseWithoutHeir(user: string, owns: AccountRecord['owns']): Refusal | undefined {
  const things = Object.entries(owns).flatMap(([name, n]) =>
    n > 0 ? [`${n} ${n === 1 ? name.slice(0, -1) : name}`] : [],
  );
  return things.length === 0 ? undefined : refusal('ACCOUNT_OWNS', { user, things: things.join(', ') });
}
