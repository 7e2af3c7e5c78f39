/** A user as lists and counts see them. */
export interface ViewingUser {
  readonly userId: string;
  readonly customerId: string | null;
}

/** For whom something is listed or counted: administrators see everything, others what is theirs to see. */
export type Viewer = 'everyone' | ViewingUser;
