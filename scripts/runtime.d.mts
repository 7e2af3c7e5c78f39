// For tests: what bin/moorage and scripts/run.mjs import must run on Node 20, without types.
export const root: string;
export function findRuntime(): string | undefined;
export function missingRuntime(version: string, system: string): string;
export function passSignal(
  child: { readonly kill: (signal: NodeJS.Signals) => unknown },
  signal: NodeJS.Signals,
  platform?: NodeJS.Platform,
): void;
export function runUnder(args: readonly string[], env?: NodeJS.ProcessEnv): void;
export function missingLibrary(isThere?: (path: string) => boolean, isNeeded?: boolean): string | undefined;
