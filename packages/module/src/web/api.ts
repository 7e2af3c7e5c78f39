import { decodeBase64, encodeBase64, failure, type Result, success } from '@moorage/base';
import type { Execution } from '../interpreter/execute.ts';
import { decodeText, encodeText } from '../interpreter/text.ts';

/** Bits of `flags` in a request. */
const requestFlags = { commandBase64: 0x01, responseBase64: 0x02, dataBase64: 0x04 } as const;

/** Bits of `flags` in a reply. */
const replyFlags = { responseBase64: 0x01 } as const;

/** A call of `POST /command`, ready to run. */
interface CommandCall {
  readonly line: string;
  /** Absent: none was sent. */
  readonly data?: Uint8Array;
  readonly responseBase64: boolean;
}

/** Some programs begin their files with a byte order mark; it is no part of the text. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the body of `POST /command`; the refusal says what is wrong with it. Spec: MOD-HTTP-post-command. */
export function parseCall(body: Uint8Array): Result<CommandCall, string> {
  let given: unknown;
  try {
    given = JSON.parse(utf8.decode(body));
  } catch {
    return failure('The body is not JSON');
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return failure('The body is not an object');
  // Serialisers write what is left out as null.
  const { command, flags: givenFlags, data: givenData } = given as Readonly<Record<string, unknown>>;
  const flags = givenFlags ?? 0;
  const data = givenData ?? undefined;
  if (typeof command !== 'string') return failure('"command" is not a string');
  if (typeof flags !== 'number' || !Number.isInteger(flags) || flags < 0)
    return failure('"flags" is not a whole number of 0 or more');
  if (data !== undefined && typeof data !== 'string') return failure('"data" is not a string');
  // Spec: MOD-HTTP-flag-1, MOD-HTTP-flag-4.
  const commandBytes = flags & requestFlags.commandBase64 ? unwrapped(command) : success(encodeText(command));
  if (!commandBytes.ok) return failure('"command" is not base64');
  const line = parseLine(decodeText(commandBytes.value));
  if (line === undefined) return failure('"command" is more than one line');
  // Spec: MOD-HTTP-flag-2.
  const responseBase64 = (flags & requestFlags.responseBase64) !== 0;
  if (data === undefined) return success({ line, responseBase64 });
  const dataBytes = flags & requestFlags.dataBase64 ? unwrapped(data) : success(encodeText(data));
  return dataBytes.ok ? success({ line, data: dataBytes.value, responseBase64 }) : failure('"data" is not base64');
}

/** Some encoders wrap their lines. */
const unwrapped = (text: string): Result<Uint8Array, 'malformed'> => decodeBase64(text.replace(/\s/g, ''));

/** A command line without the line end that some clients send along; `undefined` when there is one inside. */
export function parseLine(text: string): string | undefined {
  const line = text.replace(/[\r\n]+$/, '');
  return /[\r\n\0]/.test(line) ? undefined : line;
}

/**
 * The reply to a command. Spec: MOD-HTTP-reply-id, MOD-HTTP-reply-code, MOD-HTTP-reply-flags, MOD-HTTP-reply-response.
 */
export function commandReply(id: number, execution: Execution, responseBase64: boolean): string {
  const flags = responseBase64 ? replyFlags.responseBase64 : 0;
  const response = responseBase64 ? `"${encodeBase64(execution.payload)}"` : jsonText(execution);
  return `{"id":${id},"code":${execution.code},"flags":${flags},"response":${response}}`;
}

/** Output as a JSON string, with its line end; bytes that are no text are escaped one by one. */
function jsonText(execution: Execution): string {
  const { text } = execution;
  if (text === '') return '""';
  if (text.isWellFormed()) return JSON.stringify(`${text}\r\n`);
  const { payload } = execution;
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('latin1');
  return JSON.stringify(bytes).replace(
    /[\x7f-\xff]/g,
    (byte) => `\\u00${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** The answer of `GET /log`, oldest line first. Spec: MOD-HTTP-log. */
export const logReply = (lines: readonly string[]): string => JSON.stringify({ logs: lines });
