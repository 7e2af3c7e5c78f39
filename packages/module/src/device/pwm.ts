/** Pulse trains that a pin can put out; the range is our choice. Reference: commands 2.2. */
const pwmLimits = { minHz: 1, maxHz: 1_000_000, maxDutyPercent: 100 } as const;

/** Whether a pulse train is in range. Whole numbers only. */
export const isPwm = (hz: number, dutyPercent: number): boolean =>
  Number.isInteger(hz) &&
  hz >= pwmLimits.minHz &&
  hz <= pwmLimits.maxHz &&
  Number.isInteger(dutyPercent) &&
  dutyPercent >= 0 &&
  dutyPercent <= pwmLimits.maxDutyPercent;
