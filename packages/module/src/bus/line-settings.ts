export type Parity = 'none' | 'odd' | 'even' | 'mark' | 'space';

/** How a UART sends and what it expects to hear. */
export interface LineSettings {
  /** Bits per second. */
  readonly baud: number;
  readonly dataBits: number;
  readonly parity: Parity;
  /** 1, 1.5 or 2; a receiver looks at the first alone. */
  readonly stopBits: number;
}

/** The module's own UART. */
export interface UartSettings extends LineSettings {
  /** RTS and CTS stop the other side, and ours. */
  readonly flow: boolean;
}

/** Time that one byte takes, with its start, parity and stop bits, in ms. */
export const byteMsOf = ({ baud, dataBits, parity, stopBits }: LineSettings): number =>
  ((1 + dataBits + (parity === 'none' ? 0 : 1) + stopBits) * 1000) / baud;

/** What a receiver makes of bytes: those that it takes, and how many frames it throws away. */
export interface Received {
  readonly bytes: Uint8Array;
  readonly framingErrors: number;
  readonly parityErrors: number;
}

/**
 * What a UART with the settings `receiver` gets when one with the settings `sender` sends bytes in one go. Where the two
 * differ it samples the same wire at other moments, as the hardware does: some bytes become others, some are thrown away.
 */
export function receivedAs(bytes: Uint8Array, sender: LineSettings, receiver: LineSettings): Received {
  const same =
    sender.baud === receiver.baud && sender.dataBits === receiver.dataBits && sender.parity === receiver.parity;
  if (same) return { bytes: receiver.dataBits < 8 ? masked(bytes, receiver.dataBits) : bytes, ...noErrors };
  return sample(levels(bytes, sender), 2 * sender.baud, receiver);
}

const noErrors = { framingErrors: 0, parityErrors: 0 } as const;

const masked = (bytes: Uint8Array, dataBits: number): Uint8Array =>
  Uint8Array.from(bytes, (byte) => byte & ((1 << dataBits) - 1));

function parityBit(value: number, parity: Parity): number {
  let ones = 0;
  for (let rest = value; rest > 0; rest >>= 1) ones += rest & 1;
  return { none: 1, even: ones & 1, odd: (ones & 1) ^ 1, mark: 1, space: 0 }[parity];
}

/** The wire in steps of half a bit, since there are one and a half stop bits. */
function levels(bytes: Uint8Array, { dataBits, parity, stopBits }: LineSettings): readonly number[] {
  const halves: number[] = [];
  const put = (level: number): void => void halves.push(level, level);
  for (const byte of bytes) {
    put(0);
    const value = byte & ((1 << dataBits) - 1);
    for (let bit = 0; bit < dataBits; bit++) put((value >> bit) & 1);
    if (parity !== 'none') put(parityBit(value, parity));
    for (let half = 0; half < 2 * stopBits; half++) halves.push(1);
  }
  return halves;
}

/** Reads frames off a wire of `rate` steps a second, which is idle before and after. */
function sample(wire: readonly number[], rate: number, receiver: LineSettings): Received {
  const at = (step: number): number => wire[Math.floor(step)] ?? 1;
  const bitSteps = rate / receiver.baud;
  const taken: number[] = [];
  let framingErrors = 0;
  let parityErrors = 0;
  for (let step = 0; step < wire.length; ) {
    const edge = at(step) === 0 && (step === 0 || at(step - 1) === 1);
    if (!edge) {
      step++;
      continue;
    }
    const bit = (index: number): number => at(step + (index + 0.5) * bitSteps);
    const value = Array.from({ length: receiver.dataBits }, (_, index) => bit(1 + index) << index).reduce(
      (a, b) => a | b,
    );
    const afterData = 1 + receiver.dataBits;
    const hasParity = receiver.parity !== 'none';
    if (bit(hasParity ? afterData + 1 : afterData) === 0) framingErrors++;
    else if (hasParity && bit(afterData) !== parityBit(value, receiver.parity)) parityErrors++;
    else taken.push(value & 0xff);
    // The stop bit is over when it has been sampled.
    step = Math.max(step + 1, Math.floor(step + (afterData + (hasParity ? 1.5 : 0.5)) * bitSteps));
  }
  return { bytes: Uint8Array.from(taken), framingErrors, parityErrors };
}
