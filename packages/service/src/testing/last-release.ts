/**
 * The last migration of the last release, beside which this version runs during an upgrade; a release sets it to its own
 * last one. Until there is a release: the state from which upgrades without a gap are promised.
 */
export const releasedMigration = '0018-rollouts';
