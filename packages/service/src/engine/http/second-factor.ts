import type { SecondFactorPolicy } from '@moorage/api';
import type { Row } from '../db/schema.ts';

interface Standing extends Pick<Row<'users'>, 'role' | 'second_factor'> {
  readonly opened_by: Row<'tokens'>['opened_by'];
}

/** Whether the service wants a second factor of an account. Spec: API-RULE-factor-4. */
export const wantsFactor = (policy: SecondFactorPolicy, role: Row<'users'>['role']): boolean =>
  policy === 'all' || (policy === 'administrators' && role === 'admin');

/** Whether a session is without the second factor that is wanted of its account; a provider stands for its own. */
export const lacksFactor = (policy: SecondFactorPolicy, { role, second_factor, opened_by }: Standing): boolean =>
  second_factor === 0 && opened_by !== 'provider' && wantsFactor(policy, role);
