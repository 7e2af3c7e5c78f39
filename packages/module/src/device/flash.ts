import type { Version } from '@moorage/base';

/** Internal, extended or bulk flash. Spec: MOD-FILE-storage. */
export type Area = 'i' | 'e' | 'b';

/** Bits of the flags column. Spec: MOD-FILE-flags; reference module-protocols 1.6. */
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

export type FlashError = 'exists' | 'no-space' | 'too-many-files' | 'bad-name' | 'protected' | 'missing' | 'crc' | 'incomplete';
