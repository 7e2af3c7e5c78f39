/** What takes up memory of a board. */
interface MemoryUse {
  /** All memory of the board, in bytes. */
  readonly ramBytes: number;
  /** Files in the flash, whose index is held in memory. */
  readonly files: number;
  /** Bytes that open streams hold for reading; one entry for each. */
  readonly streams: readonly number[];
  /** Longest command line, for which a buffer is held. */
  readonly lineBytes: number;
  /** Bytes of variables that are not at their defaults. */
  readonly settingsBytes: number;
  readonly logBytes: number;
}

/** The program with its stacks and the network stack, as a part of all memory. */
const fixedShare = 0.4;
/** Name and fields of a file. */
const fileEntryBytes = 128;
/** Send and receive buffer of a stream. */
const streamBufferBytes = 2 * 1460;

/** Percent of the memory in use, 1 to 100. Spec: MOD-VAR-system.memory.usage. */
export function memoryPercent(use: MemoryUse): number {
  const { ramBytes, files, streams, lineBytes, settingsBytes, logBytes } = use;
  const streamBytes = streams.reduce((sum, held) => sum + streamBufferBytes + held, 0);
  const usedBytes = fixedShare * ramBytes + files * fileEntryBytes + streamBytes + lineBytes + settingsBytes + logBytes;
  return Math.min(100, Math.max(1, Math.round((usedBytes / ramBytes) * 100)));
}
