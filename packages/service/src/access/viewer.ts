import type { TokenLimits } from '../core/types.ts';

/** A user as lists and counts see them. */
export interface ViewingUser {
  readonly userId: string;
  readonly customerId: string | null;
  /** What the token of a request leaves out. */
  readonly limits?: Pick<TokenLimits, 'productIds'> | undefined;
}

/** For whom something is listed or counted: administrators see everything, others what is theirs to see. */
export type Viewer = 'everyone' | ViewingUser;
