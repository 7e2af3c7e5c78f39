import type { TimeMs } from './columns.ts';

/** A filter with a name. */
export interface SegmentTable {
  id: string;
  product_id: string;
  title: string;
  /** RSQL. */
  filter: string;
  created_at: TimeMs;
  updated_at: TimeMs;
}
