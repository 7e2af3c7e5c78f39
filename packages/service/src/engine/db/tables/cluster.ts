import type { TimeMs } from './columns.ts';

/** The number of the last message between nodes; one row. */
export interface BusPositionTable {
  id: number;
  last: number;
}

/** A message between nodes, kept for minutes. */
export interface BusMessageTable {
  /** Without a gap, in the order of the commits. */
  id: number;
  at: TimeMs;
  /** The node that published it. */
  sender: string;
  topic: string;
  /** JSON. */
  message: string;
}

/** Work that one node does for all. */
export interface WorkTable {
  name: string;
  /** The process that does it now. */
  holder: string | null;
  /** Counts the holders: what an earlier one still does is out of date. */
  fence: number;
  done_at: TimeMs;
}
