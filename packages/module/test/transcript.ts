import { failure, type Result, success } from '@moorage/base';

/** One step of a dialogue. Bytes are latin1 texts. */
export type Step =
  | { readonly kind: 'send'; readonly bytes: string }
  | { readonly kind: 'receive'; readonly bytes: string }
  /** The sender ends its direction. */
  | { readonly kind: 'end' }
  /** The module ends its direction. */
  | { readonly kind: 'ended' }
  /** Time passes. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** So much time passes, whatever happens. */
  | { readonly kind: 'pass'; readonly ms: number }
  /** The first host calls a server of the module. */
  | { readonly kind: 'call'; readonly port: number }
  /** The caller sends these bytes, has received these, or ends its direction. */
  | { readonly kind: 'says'; readonly bytes: string }
  | { readonly kind: 'hears'; readonly bytes: string }
  | { readonly kind: 'hangs-up' }
  /** The board says something of its own accord. */
  | { readonly kind: 'log'; readonly text: string };

export const wires = ['memory', 'tcp', 'pty'] as const;
export type WireName = (typeof wires)[number];

/** What a dialogue may not be for: a wire, or a network of real sockets. */
export type Ground = WireName | 'sockets';

/** What a scripted peer does next on a connection. Bytes are latin1 texts. */
export type PeerStep =
  | { readonly kind: 'hears' | 'says'; readonly bytes: string }
  /** It ends its direction; the script goes on with the next connection. */
  | { readonly kind: 'ends' }
  /** It breaks the connection. */
  | { readonly kind: 'breaks' };

/** A golden dialogue as its file has it; `test/transcripts/README.md` describes the format. */
export interface Transcript {
  /** Command lines run before a host connects. */
  readonly setup: readonly string[];
  /** An air file, as one line. */
  readonly air: string | undefined;
  /** A personality file, as one line. */
  readonly personality: string | undefined;
  /** Other hosts of the network, by name: their addresses. */
  readonly hosts: ReadonlyMap<string, string>;
  /** Whether some of it may go over sockets: there are other hosts, or the module joins a network. */
  readonly usesNetwork: boolean;
  /** What the first host does on its ports, by port. */
  readonly peers: ReadonlyMap<number, readonly PeerStep[]>;
  /** What cannot carry it, with the reason. */
  readonly notOn: ReadonlyMap<Ground, string>;
  readonly steps: readonly Step[];
}

const escapes: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', b: '\b', e: '\x1b', '\\': '\\' };

/** Turns `\r \n \t \b \e \\ \xHH` and `\{N:text}` (the text N times) into bytes. */
export function bytesOf(text: string): Result<string, string> {
  const repeated = text.replace(/\\\{(\d+):((?:[^}\\]|\\[^{])*)\}/g, (_, count: string, part: string) =>
    part.repeat(Number(count)),
  );
  let wrong: string | undefined;
  const bytes = repeated.replace(/\\(x[0-9a-fA-F]{2}|[^x]|x|$)/g, (whole, code: string) => {
    if (/^x../.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    const byte = escapes[code];
    if (byte === undefined) wrong = `"${whole}" is no spell`;
    return byte ?? whole;
  });
  return wrong === undefined
    ? success(Buffer.from(bytes, 'utf8').equals(Buffer.from(bytes, 'latin1')) ? bytes : latin(bytes))
    : failure(wrong);
}

/** Characters beyond ASCII that stand in the file as they are become their UTF-8 bytes; escaped bytes stay bytes. */
const latin = (text: string): string =>
  text.replace(/[^\x00-\xff]/gu, (character) => Buffer.from(character, 'utf8').toString('latin1'));

/** Shows bytes as a transcript spells them. */
export const spell = (bytes: string): string =>
  bytes
    .replace(/\\/g, '\\\\')
    .replace(/\r/g, '\\r')
    .replace(/\n/g, '\\n')
    .replace(/\t/g, '\\t')
    .replace(/\x08/g, '\\b')
    .replace(/\x1b/g, '\\e')
    .replace(/[^\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Reads a transcript file; throws with the line number, since the file is part of the test. */
export function parseTranscript(text: string): Transcript {
  const setup: string[] = [];
  let air: string | undefined;
  let personality: string | undefined;
  const hosts = new Map<string, string>();
  const peers = new Map<number, PeerStep[]>();
  const notOn = new Map<Ground, string>();
  const steps: Step[] = [];
  text.split('\n').forEach((line, index) => {
    const refuse = (why: string): never => {
      throw new Error(`Line ${index + 1}: ${why}`);
    };
    if (line === '' || line.startsWith('#')) return;
    const space = line.indexOf(' ');
    const word = space < 0 ? line : line.slice(0, space);
    const rest = space < 0 ? '' : line.slice(space + 1);
    const bytes = bytesOf(rest);
    if (!bytes.ok) refuse(bytes.error);
    const value = bytes.ok ? bytes.value : '';
    if (word === 'setup') setup.push(rest);
    else if (word === 'air') air = rest;
    else if (word === 'personality') personality = rest;
    else if (word === 'host') hosts.set(rest.split(' ')[0] ?? '', rest.split(' ')[1] ?? refuse('no address'));
    else if (word === 'not-on') notOn.set(groundNamed(rest.split(' ')[0] ?? '') ?? refuse('unknown wire'), rest);
    else if (word === 'peer') addPeerStep(peers, value, refuse);
    else if (word === '>') steps.push({ kind: 'send', bytes: value });
    else if (word === '<') steps.push({ kind: 'receive', bytes: value });
    else if (word === 'end' || word === 'ended') steps.push({ kind: word });
    else if (word === 'wait' || word === 'pass') steps.push({ kind: word, ms: Number(rest) });
    else if (word === 'call') steps.push({ kind: 'call', port: Number(rest) });
    else if (word === 'says' || word === 'hears') steps.push({ kind: word, bytes: value });
    else if (word === 'hangs-up') steps.push({ kind: word });
    else if (word === 'log') steps.push({ kind: 'log', text: rest });
    else refuse(`"${word}" is no step`);
  });
  const joins = steps.some((step) => step.kind === 'receive' && step.bytes.includes('IPv4 address: '));
  return { setup, air, personality, hosts, peers, notOn, steps, usesNetwork: joins || hosts.size > 0 };
}

const groundNamed = (name: string): Ground | undefined => [...wires, 'sockets' as const].find((each) => each === name);

/** `80 hears BYTES`, `80 says BYTES`, `80 ends`, `80 breaks`. */
function addPeerStep(peers: Map<number, PeerStep[]>, text: string, refuse: (why: string) => never): void {
  const [, port, word, bytes] = /^(\d+) (hears|says|ends|breaks)(?: (.*))?$/s.exec(text) ?? refuse('a peer does what?');
  const steps = peers.get(Number(port)) ?? [];
  peers.set(Number(port), steps);
  if (word === 'hears' || word === 'says') steps.push({ kind: word, bytes: bytes ?? '' });
  else steps.push({ kind: word === 'ends' ? 'ends' : 'breaks' });
}
