import type { CustomerRole } from '@moorage/api';
import type { TokenLimits } from '../../engine/http/types.ts';

/** A user as lists and counts see them. */
export interface ViewingUser {
  readonly userId: string;
  readonly customerId: string | null;
  readonly customerRole: CustomerRole;
  /** What the token of a request leaves out. */
  readonly limits?: Pick<TokenLimits, 'productIds'> | undefined;
}

/** The customer of whose products a viewer sees what happens to them, and not only what they are. */
export const watchedCustomer = ({ customerId, customerRole }: ViewingUser): string | null =>
  customerRole === 'viewer' ? null : customerId;

/** For whom something is listed or counted: administrators see everything, others what is theirs to see. */
export type Viewer<V extends ViewingUser = ViewingUser> = 'everyone' | V;
