/** Figures of a fleet: what only grows is a counter, the others go up and down. */
export const fleetFigures = {
  modules: 'gauge',
  online: 'gauge',
  starting: 'gauge',
  updating: 'gauge',
  asleep: 'gauge',
  off: 'gauge',
  lost: 'gauge',
  /** Run what they were offered last, as the service knows. */
  updated: 'gauge',
  /** Their last update has failed, or they are lost. */
  failed: 'gauge',
  polls: 'counter',
  updates: 'counter',
  failures: 'counter',
  sent_bytes: 'counter',
  received_bytes: 'counter',
  troubles: 'counter',
} as const;

type Figure = keyof typeof fleetFigures;

// Safe: the table has no other keys.
export const figureNames = Object.keys(fleetFigures) as readonly Figure[];

/** How a fleet stands. */
export type FleetSummary = Readonly<Record<Figure, number>> & {
  /** The last of the troubles, or nothing. */
  readonly trouble: string;
};

/** What several parts of a fleet are together. */
export const sumOf = (parts: readonly FleetSummary[]): FleetSummary => ({
  // Safe: each figure is there.
  ...(Object.fromEntries(figureNames.map((name) => [name, parts.reduce((sum, part) => sum + part[name], 0)])) as Record<
    Figure,
    number
  >),
  trouble: parts.find(({ trouble }) => trouble !== '')?.trouble ?? '',
});
