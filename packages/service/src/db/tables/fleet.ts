import type { Flag, TimeMs } from './columns.ts';

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

/** A device that no rollout and no tag moves. */
export interface PinTable {
  device_id: string;
  bundle_id: string;
  reason: string;
  until: TimeMs | null;
  created_at: TimeMs;
}

/** A product to whose devices nothing new is offered. */
export interface FreezeTable {
  product_id: string;
  reason: string;
  until: TimeMs | null;
  created_at: TimeMs;
}

/** One bundle on its way to devices, in stages. */
export interface RolloutTable {
  id: string;
  product_id: string;
  bundle_id: string;
  title: string;
  /** RSQL; all devices of the product without it. */
  filter: string | null;
  priority: number;
  /** JSON, as the contract has it. */
  settings: string;
  state: 'draft' | 'running' | 'paused' | 'finished' | 'aborted' | 'rolled_back';
  /** Whether it has a say in what its devices get. */
  holds: Flag;
  /** Why it is paused or has ended, or what it waits for. */
  reason: string | null;
  /** Number of the open stage. */
  stage: number;
  /** When the soak time of the open stage is over. */
  gate_at: TimeMs | null;
  /** The minute that is counted, and the devices offered in it. */
  pace_from: TimeMs;
  pace_count: number;
  created_at: TimeMs;
  started_at: TimeMs | null;
  finished_at: TimeMs | null;
}

/** One device in one rollout. */
export interface ExecutionTable {
  rollout_id: string;
  device_id: string;
  /** What it is brought to. */
  bundle_id: string;
  stage: number;
  state: 'waiting' | 'offered' | 'downloading' | 'installed' | 'done' | 'failed' | 'skipped' | 'left';
  /** Kind of the failure, or why it was skipped. */
  kind: string | null;
  attempt: number;
  update_id: number | null;
  /** Before it may be offered again. */
  due_at: TimeMs | null;
  changed_at: TimeMs;
}

/** How many executions of a stage are in a state, failed ones by kind; `kind` is empty otherwise. */
export interface RolloutCountTable {
  rollout_id: string;
  stage: number;
  state: ExecutionTable['state'];
  kind: string;
  n: number;
}
