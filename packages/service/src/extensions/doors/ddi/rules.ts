import {
  attributeName,
  type DdiConfigData,
  type DdiFeedback,
  type ReportedAttributes,
  type UpdateState,
} from '@moorage/api';

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

/** What SWUpdate says when all is written and the restart comes, and when it was told to skip an update. */
const allInstalled = 'All Chunks Installed.';
const skipped = 'Skipped Update.';
const longestReason = 500;

/** A feedback, judged. */
export interface Judged {
  readonly trigger: 'fetch' | 'install' | 'confirm' | 'fail' | undefined;
  readonly reason?: string;
  /** The client has done with the update. */
  readonly closes: boolean;
}

const detailsOf = ({ status }: DdiFeedback): readonly string[] => status.details ?? [];

/** What failed: the last thing that the client says, or that it says nothing. */
const reasonOf = (feedback: DdiFeedback): string => {
  const said = detailsOf(feedback).findLast((line) => line.trim() !== '');
  return (said ?? 'The client reports a failure').replaceAll('\0', '').slice(0, longestReason);
};

/** Judges what a client says of an update. Spec: API-DDI-feedback. */
export function judgeFeedback(feedback: DdiFeedback, state: UpdateState): Judged {
  const { execution, result } = feedback.status;
  const details = detailsOf(feedback);
  switch (execution) {
    case 'closed':
      if (result.finished === 'failure') return { trigger: 'fail', reason: reasonOf(feedback), closes: true };
      // Nothing has been installed, whatever the client calls it.
      if (state === 'offered' && details.length === 1 && details[0] === skipped)
        return { trigger: undefined, closes: true };
      return { trigger: 'confirm', closes: true };
    case 'canceled':
      return { trigger: 'fail', reason: 'The client has cancelled the update', closes: true };
    case 'download':
      return { trigger: 'fetch', closes: false };
    case 'proceeding':
      return { trigger: details.includes(allInstalled) ? 'install' : undefined, closes: false };
    default:
      return { trigger: undefined, closes: false };
  }
}

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
    const text = typeof value === 'string' ? value.replaceAll('\0', '').slice(0, longestValue) : value;
    return [attributeNameOf(name), mode === 'remove' ? null : text] as const;
  });
  const dropped = mode === 'replace' ? known.filter((name) => name !== ownAttribute) : [];
  return Object.fromEntries([...dropped.map((name) => [name, null] as const), ...sent]);
}
