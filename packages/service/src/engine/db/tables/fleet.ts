import type { ExecutionState, RehearsalState, RolloutState, TemplateName } from '@moorage/api';
import type { Generated } from 'kysely';
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
  /** It comes from the emergency stop of everything. */
  everywhere: Generated<Flag>;
  created_at: TimeMs;
}

/** What holds for the fleet of a product; what it does not say is as everywhere. */
export interface FleetSettingsTable {
  product_id: string;
  /** Of the IANA list. */
  zone: string | null;
  wake_per_minute: number | null;
  poll_interval_s: number | null;
  /** Of rollouts that name no settings; one of the two at most. */
  template: TemplateName | null;
  /** JSON, as the contract has it. */
  settings: string | null;
  updated_at: TimeMs;
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
  state: RolloutState;
  /** Whether it has a say in what its devices get. */
  holds: Flag;
  /** Why it is paused or has ended, or what it waits for. */
  reason: string | null;
  /** Number of the open stage. */
  stage: number;
  /** When the soak time of the open stage is over. */
  gate_at: TimeMs | null;
  /** Whether the open stage has its signal from outside, and until when that is waited for. */
  signalled: Generated<Flag>;
  signal_until: TimeMs | null;
  /** When it is looked at by itself next: a start, a soak time, a question, a signal that has not come. */
  due_at: TimeMs | null;
  /** When more of its devices are woken, and the last one that was. */
  wake_at: TimeMs | null;
  wake_after: string | null;
  /** The minute that is counted, and the devices offered in it. */
  pace_from: TimeMs;
  pace_count: number;
  author_id: string | null;
  approver_id: string | null;
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
  state: ExecutionState;
  /** Kind of the failure, or why it was skipped. */
  kind: string | null;
  attempt: number;
  update_id: number | null;
  /** Before it may be offered again. */
  due_at: TimeMs | null;
  /** When its state has lasted too long, or its probation long enough. */
  expires_at: TimeMs | null;
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

/** A person who was refused a rehearsal because another one ran. */
export interface RehearsalTurnTable {
  user_id: string;
  /** Of those who wait, the longest is the next. */
  since: TimeMs;
  /** The last time. */
  asked_at: TimeMs;
}

/** A rollout on twins of its fleet. */
export interface RehearsalTable {
  id: string;
  rollout_id: string;
  /** Among those of its rollout. */
  number: number;
  state: RehearsalState;
  /** Why it has failed. */
  reason: string | null;
  percent: number;
  /** Of the work that it is: another one's means that its process is gone. */
  fence: number;
  devices: number;
  seeds: number;
  /** JSON, as the contract has it. */
  report: string | null;
  /** The same as a page. */
  page: string | null;
  created_at: TimeMs;
  finished_at: TimeMs | null;
}
