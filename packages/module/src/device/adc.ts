import { failure, type Result, success } from '@moorage/base';

/** What a sample is taken with. */
export interface AdcScale {
  /** Voltage of a full sample at gain 1, in mV. Spec: MOD-VAR-system.adc.vref. */
  readonly vrefMv: number;
  readonly gain: number;
  readonly bits: number;
}

/** Largest gain that a sample can be taken with. */
export const maxGain = 64;

/** Largest look-up table file, in bytes, and most rows in it. */
export const maxTableBytes = 16_384;
const maxTableRows = 1000;

/** The number that the converter gives for a voltage; what is out of its range becomes its nearest end. */
export function rawSample(volts: number, { vrefMv, gain, bits }: AdcScale): number {
  const full = 2 ** bits;
  // Without a reference any voltage is too much.
  if (vrefMv === 0) return volts > 0 ? full - 1 : 0;
  return Math.min(full - 1, Math.max(0, Math.floor((volts * 1000 * gain * full) / vrefMv)));
}

/** The voltage at the pin that a sample stands for, in whole mV. */
export const sampleMillivolts = (sample: number, { vrefMv, gain, bits }: AdcScale): number =>
  Math.round((sample * vrefMv) / (gain * 2 ** bits));

/** `0x0A3C`. The form is inferred. */
export const sampleText = (sample: number): string => `0x${sample.toString(16).toUpperCase().padStart(4, '0')}`;

/** Pairs of sample and value, by rising sample. */
interface LookUpTable {
  readonly rows: readonly (readonly [sample: number, value: number])[];
  /** Digits after the point of the most precise value: as many are printed. */
  readonly decimals: number;
}

const numberForm = /^[+-]?(\d{1,9}(\.\d{0,6})?|\.\d{1,6})$/;

/**
 * Reads a table of `sample,value` lines. Lines may come in any order; blank ones, those that begin with `#`, and a first
 * line of column names are skipped. A sample is decimal, or hex with `0x`.
 */
export function parseLookUpTable(text: string): Result<LookUpTable, 'malformed'> {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const rows: [number, number][] = [];
  let decimals = 0;
  for (const [index, line] of lines.entries()) {
    const row = tableRow(line);
    if (row) {
      rows.push([row.sample, row.value]);
      decimals = Math.max(decimals, row.decimals);
    } else if (index > 0 || !/^[A-Za-z_" ]/.test(line)) return failure('malformed');
  }
  rows.sort(([a], [b]) => a - b);
  const repeated = rows.some(([sample], index) => rows[index + 1]?.[0] === sample);
  return rows.length === 0 || rows.length > maxTableRows || repeated
    ? failure('malformed')
    : success({ rows, decimals });
}

function tableRow(line: string): { sample: number; value: number; decimals: number } | undefined {
  const [sample = '', value = '', ...more] = line.split(',').map((cell) => cell.trim());
  const isSample = /^0x[0-9a-f]{1,4}$/i.test(sample) || numberForm.test(sample);
  if (!isSample || !numberForm.test(value) || more.length > 0) return undefined;
  return { sample: Number(sample), value: Number(value), decimals: value.split('.')[1]?.length ?? 0 };
}

/** The value of a sample: on the straight line between its neighbours; beyond the ends the value of the end. */
export function lookUp({ rows, decimals }: LookUpTable, sample: number): string {
  const above = rows.findIndex(([at]) => at >= sample);
  const [highAt, high] = rows.at(above) ?? [0, 0];
  const [lowAt, low] = rows[above - 1] ?? [highAt, high];
  const value = above < 0 || highAt === lowAt ? high : low + ((high - low) * (sample - lowAt)) / (highAt - lowAt);
  // No minus sign on a value that is printed as zero.
  return value.toFixed(decimals).replace(/^-(0(\.0*)?)$/, '$1');
}
