import { failure, type Result, success } from '@moorage/base';

/** Who sent bytes. */
export type Side = 'host' | 'module';

/** Bytes that passed, one character for each (latin1), and when: milliseconds since the recording began. */
export interface Entry {
  readonly ms: number;
  readonly from: Side;
  readonly bytes: string;
}

/** What a host sent, and what came back before it sent again. */
export interface Exchange {
  readonly host: string;
  readonly module: string;
  /** From the last byte of the host to the first of the module, in ms; `undefined` where there is none, or no times. */
  readonly waitMs: number | undefined;
  /** From the last byte of the host to the next one, in ms. */
  readonly lastsMs: number;
}

/** The first line of a recording of ours. */
const head = { recording: 1 };

/** Forms of a file: ours, with times, and that of pytest-reserial, which has neither times nor an order of the two sides. */
export const forms = ['moorage', 'reserial'] as const;
export type Form = (typeof forms)[number];

/** The line that begins a file of ours. */
export const headLine = (): string => `${JSON.stringify(head)}\n`;

export const entryLine = ({ ms, from, bytes }: Entry): string =>
  `${JSON.stringify({ ms: Math.round(ms * 10) / 10, [from]: bytes })}\n`;

/** A whole recording as pytest-reserial writes it, under the name of a test. */
export function reserialLine(name: string, entries: readonly Entry[]): string {
  const of = (from: Side): string =>
    Buffer.from(entries.flatMap((entry) => (entry.from === from ? [entry.bytes] : [])).join(''), 'latin1').toString(
      'base64',
    );
  return `${JSON.stringify({ [name]: { rx: of('module'), tx: of('host') } })}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a recording of either form. Of several tests of pytest-reserial it takes the one named, or else the first. The
 * refusal is one sentence that names the line.
 */
export function parseRecording(text: string, name?: string): Result<readonly Entry[], string> {
  const entries: Entry[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const fields = jsonOf(line);
    if (!fields) return failure(`Line ${index + 1} is no JSON object`);
    if (fields.recording === head.recording) continue;
    const entry = entryOf(fields);
    if (entry) entries.push(entry);
    else {
      const traffic = reserialOf(fields, name);
      if (traffic) return success(traffic);
      if (!Object.values(fields).every(isFields)) return failure(`Line ${index + 1} is no entry of a recording`);
    }
  }
  return entries.length > 0 ? success(entries) : failure('The recording is empty');
}

function jsonOf(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function entryOf({ ms, host, module }: Fields): Entry | undefined {
  if (typeof ms !== 'number') return undefined;
  if (typeof host === 'string') return { ms, from: 'host', bytes: host };
  return typeof module === 'string' ? { ms, from: 'module', bytes: module } : undefined;
}

function reserialOf(fields: Fields, name?: string): readonly Entry[] | undefined {
  const [test = '', traffic] = Object.entries(fields)[0] ?? [];
  if ((name !== undefined && name !== test) || !isFields(traffic)) return undefined;
  const side = (key: 'rx' | 'tx'): string =>
    Buffer.from(String(traffic[key] ?? ''), traffic[`${key}_encoding`] === 'utf-8' ? 'utf8' : 'base64').toString(
      'latin1',
    );
  return [
    { ms: 0, from: 'host', bytes: side('tx') },
    { ms: 0, from: 'module', bytes: side('rx') },
  ];
}

/** Entries as exchanges; one that begins with the module has no bytes of the host. */
export function exchangesOf(entries: readonly Entry[]): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  let open: { host: string; module: string; hostMs: number; firstMs: number | undefined } | undefined;
  const end = (untilMs: number): void => {
    if (!open) return;
    const { firstMs, host, hostMs, module } = open;
    const waitMs = firstMs === undefined || host === '' ? undefined : firstMs - hostMs;
    exchanges.push({ host, module, waitMs, lastsMs: untilMs - hostMs });
  };
  for (const { bytes, from, ms } of entries) {
    if (!open || (from === 'host' && open.module !== '')) {
      end(ms);
      open = { host: '', module: '', hostMs: ms, firstMs: undefined };
    }
    if (from === 'host') open = { ...open, host: open.host + bytes, hostMs: ms };
    else open = { ...open, module: open.module + bytes, firstMs: open.firstMs ?? ms };
  }
  end(entries.at(-1)?.ms ?? 0);
  return exchanges;
}
