import { supplyVolts } from './pin-table.ts';

/** Largest level of a converter. Spec: MOD-OPT-dac_set_level-level. */
export const maxDacLevel = (bits: number): number => 2 ** bits - 1;

/** 3.3 V x level / 4096 on a converter of 12 bits. Spec: MOD-CMD-dac_set_level. */
export const dacVolts = (level: number, bits: number): number => (supplyVolts * level) / 2 ** bits;
