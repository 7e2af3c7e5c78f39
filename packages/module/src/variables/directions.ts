import type { Direction, Level } from '../device/pin-table.ts';

interface DirectionRow {
  readonly direction: Direction;
  /** As the specification lists them; the odd spelling is its own. */
  readonly names: readonly string[];
  /** What `get gpio.init` prints; accepted as well. */
  readonly longName: string;
  /** What `gpio.usage` prints. */
  readonly usage: string;
}

/**
 * Spec: MOD-GPIO-dir-0, MOD-GPIO-dir-1, MOD-GPIO-dir-2, MOD-GPIO-dir-3, MOD-GPIO-dir-4, MOD-GPIO-dir-5. Long names of outputs are those of the
 * successor's listings.
 */
export const directions: readonly DirectionRow[] = [
  {
    direction: 0,
    names: ['ipu', 'inpu', 'input_pu', 'input_pullup'],
    longName: 'input_pullup',
    usage: 'input_pullup',
  },
  {
    direction: 1,
    names: ['ipd', 'inpd', 'input_pd', 'input_pulldown'],
    longName: 'input_pulldown',
    usage: 'input_pulldown',
  },
  {
    direction: 2,
    names: ['in', 'input', 'inhz', 'in_highz', 'input_hz'],
    longName: 'input_highz',
    usage: 'input_highz',
  },
  {
    direction: 3,
    names: ['out', 'output', 'opp', 'out_pp', 'output_pp'],
    longName: 'output_push_pull',
    usage: 'output',
  },
  {
    direction: 4,
    names: ['ood', 'out_od', 'ouput_od', 'output_od'],
    longName: 'output_open_drain',
    usage: 'output_open_drain',
  },
  {
    direction: 5,
    names: ['oodpu', 'out_odpu', 'output_odpu'],
    longName: 'output_open_drain_pullup',
    usage: 'output_open_drain_pullup',
  },
];

/**
 * The row that a name or number stands for; `none` for the words that take a pin away, `undefined` for any other.
 * Spec: MOD-GPIO-dir-none.
 */
export function directionNamed(name: string): DirectionRow | 'none' | undefined {
  if (name === 'none' || name === '-1') return 'none';
  return directions.find((row) => row.longName === name || row.names.includes(name) || String(row.direction) === name);
}

/** What a value of `gpio.sleep` makes of a pin; `default` leaves it without a use. */
export const sleepingPins: Readonly<Record<string, { readonly direction: Direction; readonly level: Level }>> = {
  input_highz: { direction: 2, level: 0 },
  input_pullup: { direction: 0, level: 0 },
  input_pulldown: { direction: 1, level: 0 },
  output_low: { direction: 3, level: 0 },
  output_high: { direction: 3, level: 1 },
};

/** Splits a value of `gpio.init`; `undefined` when it is empty. The first level is 0 when none is given. */
export function initialPin(value: string): { readonly direction: Direction; readonly level: Level } | undefined {
  const [name = '', level] = value.split(' ');
  const row = directionNamed(name);
  return typeof row === 'object' ? { direction: row.direction, level: level === '1' ? 1 : 0 } : undefined;
}
