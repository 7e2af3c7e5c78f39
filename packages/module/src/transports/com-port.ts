import type { LineSettings, Parity } from '../bus/line-settings.ts';
import type { ModemLines, SerialPeer } from '../bus/uart-line.ts';

/** What the option does for both sides. */
interface ComPortParts {
  /** Sends a subnegotiation of the option. */
  readonly send: (payload: Uint8Array) => void;
  /** What holds for the client's UART as long as it has not said otherwise. */
  readonly settings: () => LineSettings;
}

/** Commands of a client; the answer to each has 100 more. RFC 2217. */
const commands = {
  signature: 0,
  baudRate: 1,
  dataSize: 2,
  parity: 3,
  stopSize: 4,
  control: 5,
  lineState: 6,
  modemState: 7,
  suspend: 8,
  resume: 9,
  lineStateMask: 10,
  modemStateMask: 11,
  purge: 12,
} as const;

const answer = 100;

const parities: readonly Parity[] = ['none', 'odd', 'even', 'mark', 'space'];
const stopSizes: readonly number[] = [1, 2, 1.5];

/** Lines and conditions that a client switches, by the first of three values: ask, on, off. */
const switches = [
  { ask: 4, name: 'breaking' },
  { ask: 7, name: 'dtr' },
  { ask: 10, name: 'rts' },
] as const;

/** Values of the control command that choose flow control: ask, none, XON/XOFF, RTS/CTS. */
const outboundFlow = { ask: 0, none: 1, hardware: 3 } as const;
const inboundFlow = { ask: 13, none: 14, last: 19 } as const;

const dsrBit = 0x20;
const ctsBit = 0x10;
const dcdBit = 0x80;
/** The bits for a change lie four below those for the state. */
const deltaShift = 4;

const framingBit = 0x08;
const parityBit = 0x04;

const signature = Buffer.from('Moorage');

/** The UART of a client behind RFC 2217: its settings and lines, and what it is sent about the module's. */
export class ComPort implements SerialPeer {
  readonly #parts: ComPortParts;
  #settings: Partial<LineSettings> = {};
  #lines = { breaking: false, dtr: true, rts: true };
  #heedsCts = false;
  #suspended = false;
  #lineStateMask = 0;
  #modemStateMask = 0xff;
  #modem: ModemLines = { cts: true, dsr: true };
  #started = false;
  #changed: () => void = () => {};

  constructor(parts: ComPortParts) {
    this.#parts = parts;
  }

  get settings(): Partial<LineSettings> {
    return this.#settings;
  }

  get rts(): boolean {
    return this.#lines.rts;
  }

  /** Nothing in the module depends on it. */
  get dtr(): boolean {
    return this.#lines.dtr;
  }

  get breaking(): boolean {
    return this.#lines.breaking;
  }

  get heedsCts(): boolean {
    return this.#heedsCts;
  }

  get suspended(): boolean {
    return this.#suspended;
  }

  joined(changed: () => void): void {
    this.#changed = changed;
  }

  /** The option has been agreed on: sends the client the state of the lines. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#reply(commands.modemState, [modemBits(this.#modem) & this.#modemStateMask]);
  }

  modem(lines: ModemLines): void {
    const before = modemBits(this.#modem);
    const now = modemBits(lines);
    this.#modem = lines;
    const reported = (now | ((before ^ now) >> deltaShift)) & this.#modemStateMask;
    if (this.#started && ((before ^ now) & this.#modemStateMask) !== 0) this.#reply(commands.modemState, [reported]);
  }

  misheard({ framing, parity }: { readonly framing: boolean; readonly parity: boolean }): void {
    const reported = ((framing ? framingBit : 0) | (parity ? parityBit : 0)) & this.#lineStateMask;
    if (this.#started && reported !== 0) this.#reply(commands.lineState, [reported]);
  }

  /** Does what a subnegotiation asks, and answers with what holds now. What is not known is ignored. */
  handle(payload: Uint8Array): void {
    const [command, value] = payload;
    if (command === commands.signature) this.#reply(command, payload.length === 1 ? signature : []);
    else if (command === commands.suspend || command === commands.resume) {
      this.#suspended = command === commands.suspend;
    } else if (value === undefined) return;
    else if (command === commands.baudRate) this.#setBaud(payload);
    else if (command === commands.control) this.#control(value);
    else if (command === commands.lineStateMask) {
      this.#lineStateMask = value;
      this.#reply(command, [value]);
    } else if (command === commands.modemStateMask) {
      this.#modemStateMask = value;
      this.#reply(command, [value]);
    } else if (command === commands.purge) this.#reply(command, [value]);
    else if (command !== undefined) this.#setFrame(command, value);
    this.#changed();
  }

  #setBaud(payload: Uint8Array): void {
    // More than a command and a rate is a subnegotiation gone wrong, of which nothing may be believed.
    if (payload.length !== 5) return;
    const bytes = Buffer.from(payload);
    const baud = bytes.readUInt32BE(1);
    if (baud > 0) this.#settings = { ...this.#settings, baud };
    bytes.writeUInt32BE(this.#now.baud, 1);
    this.#reply(commands.baudRate, bytes.subarray(1, 5));
  }

  /** Data bits, parity and stop bits; 0 asks, and what does not exist changes nothing. */
  #setFrame(command: number, value: number): void {
    const parity = parities[value - 1];
    const stopBits = stopSizes[value - 1];
    if (command === commands.dataSize) {
      if (value >= 5 && value <= 8) this.#settings = { ...this.#settings, dataBits: value };
      this.#reply(command, [this.#now.dataBits]);
    } else if (command === commands.parity) {
      if (parity) this.#settings = { ...this.#settings, parity };
      this.#reply(command, [1 + parities.indexOf(this.#now.parity)]);
    } else if (command === commands.stopSize) {
      if (stopBits) this.#settings = { ...this.#settings, stopBits };
      this.#reply(command, [1 + stopSizes.indexOf(this.#now.stopBits)]);
    }
  }

  /** What is not there, such as XON/XOFF, stays as it was; the answer says so. */
  #control(value: number): void {
    const wire = switches.find(({ ask }) => value >= ask && value <= ask + 2);
    if (wire) {
      if (value > wire.ask) this.#lines = { ...this.#lines, [wire.name]: value === wire.ask + 1 };
      this.#reply(commands.control, [wire.ask + (this.#lines[wire.name] ? 1 : 2)]);
    } else if (value <= outboundFlow.hardware) {
      if (value === outboundFlow.none || value === outboundFlow.hardware) {
        this.#heedsCts = value === outboundFlow.hardware;
      }
      this.#reply(commands.control, [this.#heedsCts ? outboundFlow.hardware : outboundFlow.none]);
    } else if (value >= inboundFlow.ask && value <= inboundFlow.last) {
      this.#reply(commands.control, [inboundFlow.none]);
    }
  }

  get #now(): LineSettings {
    return { ...this.#parts.settings(), ...this.#settings };
  }

  #reply(command: number, payload: ArrayLike<number>): void {
    this.#parts.send(Uint8Array.of(command + answer, ...Array.from(payload)));
  }
}

/** A module that is on is what a client takes for a carrier, too. */
const modemBits = ({ cts, dsr }: ModemLines): number => (cts ? ctsBit : 0) | (dsr ? dsrBit | dcdBit : 0);
