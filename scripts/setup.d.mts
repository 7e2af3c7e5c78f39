// For tests: what bin/moorage and scripts/run.mjs import must run on Node 20, without types.
export interface Locked {
  readonly version?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}
export function installation(
  wanted: Readonly<Record<string, Locked>>,
  installed?: Readonly<Record<string, Locked>>,
  withTools?: boolean,
): string[] | undefined;
