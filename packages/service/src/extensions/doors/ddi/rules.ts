import { attributeName, type DdiConfigData, type ReportedAttributes, type UpdateState } from '@moorage/api';

/** Longest time that clients can read: they take it for a time of day. */
const longestSleepS = 24 * 3_600 - 1;
/** Between two requests where the service says nothing else, in seconds. */
const ordinarySleepS = 300;

/**
 * The same while there is something to do, in seconds: SWUpdate begins an update with the request after the one that
 * shows it, and looks only then whether it is cancelled.
 */
export const busySleepS = 20;

/** The shortest of these time spans, in seconds, as `HH:MM:SS`: at least a second and less than a day. */
export function sleepText(...spans: readonly (number | undefined)[]): string {
  const known = spans.filter((span) => span !== undefined);
  const seconds = known.length > 0 ? Math.min(...known) : ordinarySleepS;
  const whole = Math.min(longestSleepS, Math.max(1, Math.round(seconds)));
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** How a client shall install, and whether it is shown the update at all. */
export interface Handling {
  readonly isShown: boolean;
  readonly update: 'skip' | 'attempt' | 'forced';
}

/** Clients that wait with a downloaded update while they are told to skip it; others take that for its end. */
const waitsForWindow = (userAgent: string | undefined): boolean => /^rauc-hawkbit/i.test(userAgent ?? '');

/** Clients that report success when all is written, before they restart into it. */
export const reportsEarly = waitsForWindow;

/**
 * What a client is told while a rollout wants an update installed in this way. Outside of a window most clients are
 * not shown the update at all: told to skip it, SWUpdate closes it as a success.
 */
export function handlingOf(
  install: { readonly force: 'soft' | 'forced'; readonly waitMs: number } | undefined,
  userAgent: string | undefined,
): Handling {
  const update = install?.force === 'soft' ? 'attempt' : 'forced';
  if (!install || install.waitMs <= 0) return { isShown: true, update };
  return waitsForWindow(userAgent) ? { isShown: true, update: 'skip' } : { isShown: false, update };
}

/** What decides whether a client is asked for its attributes; times in epoch ms. */
interface Reporting {
  /** When it has sent those that are kept. */
  readonly reportedAtMs: number | null;
  /** When its newest update has ended. */
  readonly endedAtMs: number | null;
  /** When a person last wanted the device to look again. */
  readonly askedAtMs: number | null;
  readonly isOnProbation: boolean;
}

/** Whether a client is asked for its attributes: some send none unasked. Spec: API-DDI-config. */
export const asksForAttributes = ({ reportedAtMs, endedAtMs, askedAtMs, isOnProbation }: Reporting): boolean =>
  isOnProbation || reportedAtMs === null || reportedAtMs < Math.max(endedAtMs ?? 0, askedAtMs ?? 0);

/** The state of an action in the words of this interface. */
const historyWords = {
  offered: 'RETRIEVED',
  downloading: 'RUNNING',
  installed: 'RUNNING',
  done: 'FINISHED',
  failed: 'ERROR',
  superseded: 'CANCELED',
} as const satisfies Record<UpdateState, string>;

/** The same, of one that waits for a consent, too. */
export const historyWord = (state: UpdateState, isWaiting: boolean): string =>
  isWaiting ? 'WAIT_FOR_CONFIRMATION' : historyWords[state];

/** A file as clients get it: those of one folder are for the same part of the device. */
export interface Part<F> {
  readonly part: string;
  readonly files: readonly F[];
}

/** What the files without a folder are for. */
const wholeDevice = 'os';

/** Groups files by their folder, in the order of the list. */
export function partsOf<F extends { readonly filename: string }>(files: readonly F[]): Part<F>[] {
  const parts = new Map<string, F[]>();
  for (const file of files) {
    const at = file.filename.lastIndexOf('/');
    const part = at < 0 ? wholeDevice : file.filename.slice(0, at);
    parts.set(part, [...(parts.get(part) ?? []), file]);
  }
  return [...parts].map(([part, found]) => ({ part, files: found }));
}

/** Name of a file without its folder. */
export const baseName = (filename: string): string => filename.slice(filename.lastIndexOf('/') + 1);

const longestValue = 256;
/** The attribute that the service writes itself. */
const ownAttribute = 'version';

const isName = new RegExp(attributeName);

/** A name that an attribute can have: a client goes on sending what is refused, and installs nothing until it is taken. */
export function attributeNameOf(name: string): string {
  const plain = name === ownAttribute ? `reported.${name}` : name;
  if (isName.test(plain)) return plain;
  const replaced = plain.replace(/[^A-Za-z0-9_.-]/g, '_');
  return (/^[A-Za-z]/.test(replaced) ? replaced : `x${replaced}`).slice(0, 64);
}

/** What a client's attributes change; `known` are the names that the device has. */
export function reportedOf({ data, mode }: DdiConfigData, known: readonly string[]): ReportedAttributes {
  const sent = Object.entries(data).map(([name, value]) => {
    const text = typeof value === 'string' ? value.slice(0, longestValue) : value;
    return [attributeNameOf(name), mode === 'remove' ? null : text] as const;
  });
  const dropped = mode === 'replace' ? known.filter((name) => name !== ownAttribute) : [];
  return Object.fromEntries([...dropped.map((name) => [name, null] as const), ...sent]);
}
