import { type RehearsalReport, rehearsalMetrics } from '@moorage/api';

const spread = { least: 1, mean: 2, most: 3 };
// Safe: every metric has one.
const spreads = Object.fromEntries(rehearsalMetrics.map((name) => [name, spread])) as RehearsalReport['spread'];

/** A report of a rehearsal, of which nothing else matters. */
export const sampleReport: RehearsalReport = {
  title: 'Spring',
  bundle: '1.0.0.1',
  devices: 5,
  assumed: ['Nobody is asked'],
  spread: spreads,
  compared: [{ settings: 'half_pace', spread: spreads }],
  runs: [],
};
