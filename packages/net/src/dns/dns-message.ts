import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, TRUNCATED_RESPONSE } from 'dns-packet';

/** A question of a DNS message. The type is a name such as `A`, or `UNKNOWN_…`. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: string;
  /** The asker would take the answer by unicast (RFC 6762, 5.4). */
  readonly unicast?: boolean;
}

interface RecordHead {
  readonly name: string;
  /** In seconds; 0 takes the record back. */
  readonly ttl: number;
  /** The record is the only one of its name and type (RFC 6762, 10.2). */
  readonly flush?: boolean;
}

/** A record of one of the types that the module's name services know. */
export type DnsRecord = RecordHead &
  (
    | { readonly type: 'A'; readonly data: string }
    | { readonly type: 'PTR'; readonly data: string }
    | { readonly type: 'SRV'; readonly data: { readonly port: number; readonly target: string } }
    | { readonly type: 'TXT'; readonly data: readonly string[] }
    | { readonly type: 'NSEC'; readonly data: { readonly nextDomain: string; readonly rrtypes: readonly string[] } }
  );

export interface DnsMessage {
  readonly id: number;
  readonly isResponse: boolean;
  /** 0 for a query. */
  readonly opcode: number;
  /** 0 for no error. */
  readonly rcode: number;
  readonly truncated?: boolean;
  readonly authoritative?: boolean;
  readonly questions: readonly DnsQuestion[];
  readonly answers: readonly DnsRecord[];
  readonly authorities: readonly DnsRecord[];
  readonly additionals: readonly DnsRecord[];
}

/** An empty message to put things into. */
export const blankQuery: DnsMessage = {
  id: 0,
  isResponse: false,
  opcode: 0,
  rcode: 0,
  questions: [],
  answers: [],
  authorities: [],
  additionals: [],
};

export const blankResponse: DnsMessage = { ...blankQuery, isResponse: true, authoritative: true };

const headBytes = 12;

/** Most parts that a message of one datagram can sensibly have: more is an attack. */
const maxParts = 500;

/** Highest bit of a question's class. */
const unicastClass = 0x8000;

/** Records of types that the module never asks for are left out; `undefined` for what is no DNS message. */
export function readDns(bytes: Uint8Array): DnsMessage | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The package reads on beyond the end of records that are cut, and takes what it finds there for the next.
  if (!isWhole(buffer)) return undefined;
  try {
    const { id, type, flags, questions, answers, authorities, additionals } = decode(buffer);
    return {
      id: id ?? 0,
      isResponse: type === 'response',
      opcode: ((flags ?? 0) >> 11) & 0xf,
      rcode: (flags ?? 0) & 0xf,
      truncated: ((flags ?? 0) & TRUNCATED_RESPONSE) !== 0,
      authoritative: ((flags ?? 0) & AUTHORITATIVE_ANSWER) !== 0,
      questions: (questions ?? []).map((question) => ({
        name: question.name,
        type: question.type,
        // The package knows the class with that bit only as a number.
        unicast: (Number(/^UNKNOWN_(\d+)$/.exec(question.class ?? '')?.[1] ?? 0) & unicastClass) !== 0,
      })),
      answers: known(answers),
      authorities: known(authorities),
      additionals: known(additionals),
    };
  } catch {
    // The package throws for every malformed message.
    return undefined;
  }
}

/** Whether all parts that the head announces are there in full. */
function isWhole(buffer: Buffer): boolean {
  if (buffer.length < headBytes) return false;
  const questions = buffer.readUInt16BE(4);
  const records = buffer.readUInt16BE(6) + buffer.readUInt16BE(8) + buffer.readUInt16BE(10);
  if (questions + records > maxParts) return false;
  let at = headBytes;
  for (let part = 0; part < questions + records; part++) {
    at = endOfName(buffer, at);
    // Type and class; of a record its time and the length of its data, too.
    const fixed = part < questions ? 4 : 10;
    if (at + fixed > buffer.length) return false;
    at += fixed + (part < questions ? 0 : buffer.readUInt16BE(at + 8));
  }
  return at <= buffer.length;
}

/** Where a name ends: with an empty label, or with a pointer to the rest of it. */
function endOfName(buffer: Buffer, start: number): number {
  for (let at = start; at < buffer.length; ) {
    const length = buffer.readUInt8(at);
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    at += 1 + length;
  }
  return buffer.length + 1;
}

const known = (records: readonly Answer[] | undefined): readonly DnsRecord[] =>
  (records ?? []).flatMap((record) => readRecord(record) ?? []);

function readRecord(record: Answer): DnsRecord | undefined {
  if (record.type === 'OPT') return undefined;
  const head = { name: record.name, ttl: record.ttl ?? 0, flush: record.flush ?? false };
  switch (record.type) {
    case 'A':
    case 'PTR':
      return { ...head, type: record.type, data: record.data };
    case 'SRV':
      return { ...head, type: 'SRV', data: { port: record.data.port, target: record.data.target } };
    case 'TXT':
      return { ...head, type: 'TXT', data: [record.data].flat().map(String) };
    case 'NSEC':
      return { ...head, type: 'NSEC', data: record.data };
    default:
      return undefined;
  }
}

/** The bytes of a message. Its names must be valid: labels of 1 to 63 bytes. */
export function writeDns(message: DnsMessage): Uint8Array {
  const flags =
    (message.opcode << 11) |
    message.rcode |
    (message.authoritative ? AUTHORITATIVE_ANSWER : 0) |
    (message.truncated ? TRUNCATED_RESPONSE : 0);
  const bytes = encode({
    id: message.id,
    type: message.isResponse ? 'response' : 'query',
    flags,
    // Types come from messages that the package has read, or from the code: it can write them all.
    questions: message.questions.map(({ name, type }) => ({ name, type: type as Answer['type'] })),
    answers: message.answers.map(writeRecord),
    authorities: message.authorities.map(writeRecord),
    additionals: message.additionals.map(writeRecord),
  });
  return bytes;
}

const writeRecord = (record: DnsRecord): Answer => {
  switch (record.type) {
    case 'TXT':
      return { ...record, data: [...record.data] };
    case 'NSEC':
      return { ...record, data: { ...record.data, rrtypes: [...record.data.rrtypes] } };
    default:
      return { ...record, class: 'IN' };
  }
};

/** Names are compared without regard to case, and a final point says nothing. */
export const sameName = (one: string, other: string): boolean => plainName(one) === plainName(other);

/** The form in which names are compared. */
export const plainName = (name: string): string => name.replace(/\.$/, '').toLowerCase();

/** Whether every label of a name can be written. */
export const isWritable = (name: string): boolean =>
  name.length <= 253 && name.split('.').every((label) => label !== '' && Buffer.byteLength(label) <= 63);
