/** What a telnet client sends beside its data. */
export type TelnetVerb = 'WILL' | 'WONT' | 'DO' | 'DONT';

export type TelnetEvent =
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | { readonly kind: 'option'; readonly verb: TelnetVerb; readonly option: number }
  | { readonly kind: 'subnegotiation'; readonly option: number; readonly payload: Uint8Array }
  /** A command without an option, such as a break; all are ignored. */
  | { readonly kind: 'command'; readonly code: number };

const iac = 255;
const sb = 250;
const se = 240;

const verbs: Readonly<Record<number, TelnetVerb>> = { 251: 'WILL', 252: 'WONT', 253: 'DO', 254: 'DONT' };
const verbCodes: Readonly<Record<TelnetVerb, number>> = { WILL: 251, WONT: 252, DO: 253, DONT: 254 };

/** Kept of a subnegotiation, in bytes; what is longer is cut. */
const maxPayloadBytes = 256;

type State = 'data' | 'iac' | 'option' | 'sub' | 'sub-iac';

/** Takes the commands out of what a telnet client sends, in pieces of any size. */
export class TelnetReader {
  #state: State = 'data';
  #verb: TelnetVerb = 'WILL';
  #payload: number[] = [];

  read(bytes: Uint8Array): readonly TelnetEvent[] {
    const events: TelnetEvent[] = [];
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (this.#state === 'data') {
        const next = bytes.indexOf(iac, at);
        at = next < 0 ? bytes.length : next;
        if (at > from) events.push({ kind: 'data', bytes: bytes.subarray(from, at) });
        if (next >= 0) this.#state = 'iac';
      } else {
        const event = this.#step(bytes[at] ?? 0);
        if (event) events.push(event);
      }
      from = at + 1;
    }
    return events;
  }

  #step(byte: number): TelnetEvent | undefined {
    switch (this.#state) {
      case 'iac':
        return this.#command(byte);
      case 'option':
        this.#state = 'data';
        return { kind: 'option', verb: this.#verb, option: byte };
      case 'sub':
        if (byte === iac) this.#state = 'sub-iac';
        else this.#keep(byte);
        return undefined;
      default:
        return this.#insideSub(byte);
    }
  }

  #command(byte: number): TelnetEvent | undefined {
    const verb = verbs[byte];
    this.#state = verb ? 'option' : byte === sb ? 'sub' : 'data';
    if (verb) this.#verb = verb;
    else if (byte === sb) this.#payload = [];
    // Doubled, it is data.
    else if (byte === iac) return { kind: 'data', bytes: Uint8Array.of(iac) };
    else return { kind: 'command', code: byte };
    return undefined;
  }

  /** Behind an IAC in a subnegotiation: its end, an escaped byte, or nothing that makes sense. */
  #insideSub(byte: number): TelnetEvent | undefined {
    this.#state = 'sub';
    if (byte === iac) this.#keep(iac);
    if (byte !== se) return undefined;
    this.#state = 'data';
    const [option = 0, ...payload] = this.#payload;
    return { kind: 'subnegotiation', option, payload: Uint8Array.from(payload) };
  }

  #keep(byte: number): void {
    if (this.#payload.length < maxPayloadBytes) this.#payload.push(byte);
  }
}

export const optionBytes = (verb: TelnetVerb, option: number): Uint8Array =>
  Uint8Array.of(iac, verbCodes[verb], option);

export const subnegotiationBytes = (option: number, payload: Uint8Array): Uint8Array =>
  Buffer.concat([Uint8Array.of(iac, sb, option), escaped(payload), Uint8Array.of(iac, se)]);

/** Data as telnet carries it: an IAC is doubled. */
export function escaped(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(iac)) return bytes;
  return Uint8Array.from(Array.from(bytes).flatMap((byte) => (byte === iac ? [iac, iac] : [byte])));
}
