import type { Clock } from '@moorage/base';
import type { Archive } from './archive.ts';

export interface RescueOptions {
  readonly clock: Clock;
  /** Keeps passwords and private keys. */
  readonly withSecrets?: boolean;
  /** Leaves the contents of files out. */
  readonly withoutContents?: boolean;
  /** Called before each file and at the end, with what has been read of all bytes. */
  readonly onProgress?: (readBytes: number, totalBytes: number) => void;
}

export type Unread = Archive['unread'][number][];
