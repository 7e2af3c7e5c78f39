import type { RehearsalReport, RolloutSettings, ShapeRecord } from '@moorage/api';
import type { Result } from '@moorage/base';

/** A rollout, and what its fleet is like. */
export interface RehearsalInput {
  readonly rollout: {
    readonly title: string;
    readonly priority: number;
    readonly filter?: string;
    readonly settings: RolloutSettings;
  };
  /** Of the bundle, with its files. */
  readonly version: string;
  readonly files: readonly { readonly filename: string; readonly bytes: Uint8Array }[];
  readonly shape: ShapeRecord;
  /** What the twins are and have to bear, instead of the shape. */
  readonly scenario?: unknown;
  readonly devices: number;
  readonly seeds: number;
  readonly compare: boolean;
}

export interface RehearsalWatch {
  /** Ends the rehearsal. */
  readonly signal: AbortSignal;
  readonly onPercent: (percent: number) => void;
}

export interface Rehearser {
  /** What is wrong with a scenario, as a sentence that names the place; undefined when nothing is. */
  readonly mistakeIn: (scenario: unknown) => Promise<string | undefined>;
  /**
   * Rehearses a rollout outside of this process, which answers devices meanwhile. Resolves with the report, also as a page,
   * or with a sentence that says why there is none.
   */
  readonly rehearse: (
    input: RehearsalInput,
    watch: RehearsalWatch,
  ) => Promise<Result<{ readonly report: RehearsalReport; readonly page: string }, string>>;
}
