/** How a line shows the end of an answer, as far as it is known by now. */
export interface Dialect {
  /** Typed characters come back. */
  readonly echo: boolean;
  /** Answers are blocks with code and length. Reference: line 3.1. */
  readonly headers: boolean;
  /** What follows an answer without headers; empty where there is none. */
  readonly prompt: string;
  /** The answer of `version`; an answer without headers and prompt ends where that of a `version` sent behind it begins. */
  readonly versionLine: string;
}

/** What is known of the answer that is awaited; all texts are Latin-1. */
export interface Awaited {
  readonly line: string;
  readonly data: string;
  readonly payloadBytes: number | undefined;
}

/** An answer within what has come. */
export interface Framed {
  /** Of a header; `undefined` where there is none. */
  readonly code: number | undefined;
  /** Without the last line end. */
  readonly payload: string;
  /** No more can belong to it. Otherwise it ends here only if nothing follows. */
  readonly isCertain: boolean;
}

const lineEndLength = (text: string): number => (text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0);

const withoutLineEnd = (text: string): string => text.slice(0, text.length - lineEndLength(text));

/** What comes behind the echo of a command and its data; `undefined` while that has not come. */
function behindEcho({ echo }: Dialect, text: string, { line, data }: Awaited): string | undefined {
  if (!echo) return text;
  const at = text.indexOf(line);
  const rest = at < 0 ? undefined : /^\r?\n/.exec(text.slice(at + line.length));
  if (at < 0 || !rest) return undefined;
  const behind = text.slice(at + line.length + rest[0].length);
  if (data === '') return behind;
  if (behind.startsWith(data)) return behind.slice(data.length);
  // A firmware before 2.2 does not echo data.
  return data.startsWith(behind.slice(0, data.length)) ? undefined : behind;
}

/** The answer in what has come since the command was sent; `undefined` while it has not all come. */
export function framed(dialect: Dialect, received: string, awaited: Awaited): Framed | undefined {
  const text = behindEcho(dialect, received, awaited);
  if (text === undefined) return undefined;
  if (dialect.headers) return fromHeaders(dialect, text);
  if (dialect.prompt !== '') return fromPrompt(dialect.prompt, text, awaited);
  return fromSentinel(dialect.versionLine, text, awaited);
}

/** Logs come in blocks of their own before the answer; whatever else stands between blocks is noise. */
function fromHeaders({ prompt }: Dialect, text: string): Framed | undefined {
  const header = /([RSL])(\d)(\d{5})\r?\n/y;
  let at = 0;
  while (at < text.length) {
    if (prompt !== '' && text.startsWith(prompt, at)) at += prompt.length;
    header.lastIndex = at;
    const match = header.exec(text);
    if (!match) {
      const next = text.indexOf('\n', at);
      if (next < 0) return undefined;
      at = next + 1;
      continue;
    }
    const [whole, kind, code, length] = match;
    const from = at + whole.length;
    const to = from + Number(length);
    if (text.length < to) return undefined;
    if (kind !== 'L') return { code: Number(code), payload: withoutLineEnd(text.slice(from, to)), isCertain: true };
    at = to;
  }
  return undefined;
}

function fromPrompt(prompt: string, text: string, { payloadBytes }: Awaited): Framed | undefined {
  if (!text.endsWith(prompt)) return undefined;
  const before = text.slice(0, -prompt.length);
  if (before !== '' && lineEndLength(before) === 0) return undefined;
  const payload = withoutLog(withoutLineEnd(before), payloadBytes);
  return { code: undefined, payload, isCertain: payload.length === payloadBytes };
}

function fromSentinel(versionLine: string, text: string, { line, payloadBytes }: Awaited): Framed | undefined {
  const end = withoutLineEnd(text);
  if (end.length === text.length || !end.endsWith(versionLine)) return undefined;
  const before = end.slice(0, -versionLine.length);
  // `version` itself is answered twice.
  if (line === 'version' && !before.includes(versionLine)) return undefined;
  return { code: undefined, payload: withoutLog(withoutLineEnd(before), payloadBytes), isCertain: false };
}

/** A line without the prompts in front of it. */
export function withoutPrompts(line: string, prompt: string): string {
  let rest = line;
  while (prompt !== '' && rest.startsWith(prompt)) rest = rest.slice(prompt.length);
  return rest;
}

/**
 * The answer of a line with a prompt, when `version` has been asked behind it, at `markedAt` of what has come at the earliest.
 * Other things that were said meanwhile may stand before and behind the answer.
 */
export function markedAnswer(
  dialect: Dialect,
  received: string,
  awaited: Awaited,
  markedAt: number,
): Framed | undefined {
  const { versionLine, prompt, echo } = dialect;
  const text = behindEcho(dialect, received, awaited);
  if (text === undefined) return undefined;
  const end = text.lastIndexOf(versionLine);
  const isBehind =
    end >= 0 && received.length - text.length + end >= markedAt && /^\r?\n/.test(text.slice(end + versionLine.length));
  if (!isBehind) return undefined;
  const before = text.slice(0, end);
  const { payloadBytes } = awaited;
  // `version` itself is answered twice.
  if (awaited.line === 'version' && !before.includes(versionLine)) return undefined;
  if (payloadBytes !== undefined) {
    const payload = payloadWithin(before, prompt, payloadBytes);
    if (payload !== undefined) return { code: undefined, payload, isCertain: true };
  }
  const lines = before.split('\n').map((line) => withoutPrompts(line, prompt));
  const marker = echo ? lines.findLastIndex((line) => line.trimEnd() === 'version') : -1;
  const own = lines.filter((_, at) => at !== marker).join('\n');
  return { code: undefined, payload: own.replace(/^[\r\n]+|[\r\n]+$/g, ''), isCertain: true };
}

/** Bytes of a known number that begin a line and have a prompt behind them. */
function payloadWithin(text: string, prompt: string, count: number): string | undefined {
  for (const end of text.matchAll(/\r?\n/g)) {
    const from = end.index - count;
    if (from < 0 || !text.startsWith(prompt, end.index + end[0].length)) continue;
    const before = text.slice(0, from);
    if (withoutPrompts(before.slice(before.lastIndexOf('\n') + 1), prompt) === '') return text.slice(from, end.index);
  }
  return undefined;
}

/** A file that ends with a piece says so before the piece: whole lines in front of a payload of known length are of the log. */
function withoutLog(text: string, payloadBytes: number | undefined): string {
  const extra = payloadBytes === undefined ? 0 : text.length - payloadBytes;
  return extra > 0 && lineEndLength(text.slice(0, extra)) > 0 ? text.slice(extra) : text;
}

/** The answer before the last prompt, behind which lines of the log have come. */
export function beforeLogs({ prompt }: Dialect, text: string): string | undefined {
  const at = prompt === '' ? -1 : text.lastIndexOf(`\n${prompt}`);
  return at < 0 ? undefined : text.slice(0, at + 1 + prompt.length);
}

/** What the answers to an empty line and to `version` show of a line; `undefined` when they show nothing. */
export function dialectOf(received: string): Dialect | undefined {
  const header = /(?:^|\n|> )[RS]0(\d{5})\r?\n([^\r\n]+)\r?\n/.exec(received);
  const version = /^(?:[^\s>]*> )*((?!\[)(?!version)[^\r\n]*\S-\d+\.\d+[^\r\n]*)$/m.exec(header?.[2] ?? received)?.[1];
  if (version === undefined) return undefined;
  const echo = /(^|\n|> |SAFEMODE> )version\r?\n/.test(received);
  const behind = received.slice(received.lastIndexOf(version) + version.length).replace(/^\r?\n/, '');
  // What the module says by itself may stand behind the prompt.
  const prompt = behind.includes('\n') ? (/^[^\s>]*> /.exec(behind)?.[0] ?? '') : behind;
  return { echo, headers: header !== null, prompt, versionLine: version };
}
