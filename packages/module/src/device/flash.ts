import type { Result, Version } from '@moorage/base';
import type { TextKey } from '../texts/texts.ts';

/** Internal, extended or bulk flash. Spec: MOD-FILE-storage. */
export type Area = 'i' | 'e' | 'b';

/** Bits of the flags column. Spec: MOD-FILE-flags. Reference: flash 2.2. */
export const fileFlags = {
  valid: 0x0001,
  executable: 0x0002,
  encrypted: 0x0004,
  system: 0x0008,
  bootable: 0x0010,
  user: 0x0020,
  essential: 0x0040,
  open: 0x0080,
  unprotected: 0x0100,
} as const;

/** Spec: MOD-FILE-fields. */
export interface FileInfo {
  readonly name: string;
  readonly size: number;
  readonly crc: number;
  readonly version: Version;
  readonly area: Area;
  /** 0 to 255. */
  readonly type: number;
  readonly flags: number;
  /** Index of the first 4 KiB unit in its area: column `Hnd` of `ls -v`. */
  readonly unit: number;
}

export interface NewFile {
  readonly name: string;
  readonly size: number;
  readonly version: Version;
  readonly type: number;
  readonly flags: number;
  readonly area?: Area;
  /** When given, the file becomes valid only if its bytes have this CRC. */
  readonly crc?: number | undefined;
  /** Take the place of a file of that name in the same step that makes this one valid. */
  readonly replace?: boolean;
}

export type FlashError =
  | 'exists'
  | 'no-space'
  | 'too-many-files'
  | 'bad-name'
  | 'protected'
  | 'missing'
  | 'crc'
  | 'incomplete'
  | 'too-long'
  | 'too-large';

/** The flash of a board: part of its model. */
export interface FlashLayout {
  /** Size of each area in bytes; 0 when the board has none. Spec: MOD-FILE-areas. */
  readonly areaBytes: Readonly<Record<Area, number>>;
  /** Most files in one area. */
  readonly maxFilesPerArea: number;
}

/** The sizes of the default board; bulk flash is an extra chip. Reference: flash 1.1. */
export const defaultFlashLayout: FlashLayout = {
  areaBytes: { i: 768 * 1024, e: 1024 * 1024, b: 0 },
  maxFilesPerArea: 100,
};

/** A file that a board leaves the factory with. */
export interface FactoryFile {
  readonly name: string;
  readonly area: Area;
  readonly type: number;
  readonly flags: number;
  readonly version: Version;
  /** First unit in its area; the next free one without it. */
  readonly unit?: number | undefined;
  readonly content: Uint8Array;
}

/** Allocation unit of all areas, in bytes. */
export const unitBytes = 4096;

/** Longest file name, in characters. */
export const maxNameLength = 95;

/** Printable ASCII, spaces too; names are flat, a `/` in them is a letter like any other. */
export const isFileName = (name: string): boolean => name.length <= maxNameLength && /^[\x20-\x7e]+$/.test(name);

/** File types that the module minds. Reference: flash 2.1. */
export const fileTypes = {
  recoveryProgram: 0x00,
  radioFirmware: 0x01,
  certificate: 0x03,
  firstProgram: 0x80,
  program: 0x81,
  capabilities: 0xfc,
  miscellaneous: 0xfe,
} as const;

/** Type of a file for which none is named. */
export const defaultFileType = fileTypes.miscellaneous;

const protectedTypes: ReadonlySet<number> = new Set([
  fileTypes.recoveryProgram,
  fileTypes.radioFirmware,
  fileTypes.firstProgram,
  fileTypes.program,
]);

/** Programs and radio firmware: made at the factory or by updates, never made or deleted by users. */
export const isProtectedType = (type: number): boolean => protectedTypes.has(type);

/** A file on its way into the flash. Exactly one of `finish` and `abandon` ends it. */
export interface FileWriter {
  /** Bytes that are still missing. */
  readonly remaining: number;
  /** Takes the next bytes, which the flash may keep: do not change them afterwards. More than are missing spoil the file. */
  append(chunk: Uint8Array): void | Promise<void>;
  /**
   * Makes the file valid once it is durable. `incomplete`, `too-long` and `crc` (not the CRC that was announced) leave
   * no trace of it.
   */
  finish(): Promise<Result<FileInfo, FlashError>>;
  /** Gives the file up and its units back. */
  abandon(): Promise<void>;
}

/** What is said before `Command failed`. A name that no file can have is an invalid argument instead. */
export const fileReasons: Readonly<Record<Exclude<FlashError, 'bad-name'>, TextKey>> = {
  exists: 'fileExists',
  'no-space': 'flashFull',
  'too-many-files': 'tooManyFiles',
  protected: 'fileProtected',
  missing: 'fileMissing',
  crc: 'fileCrcMismatch',
  incomplete: 'fileIncomplete',
  'too-long': 'fileTooLong',
  'too-large': 'fileTooLarge',
};
