import type { Transition } from '@moorage/base';

/**
 * What a session does: it reads command lines, runs a command, waits for the answer to a command's question, waits for
 * inline data, lets the command store a piece of it; or all input is answered, or its connection is gone.
 */
export const sessionStates = ['reading', 'running', 'asking', 'receiving', 'storing', 'ended', 'closed'] as const;
export type SessionState = (typeof sessionStates)[number];

export const sessionTriggers = [
  'run',
  'done',
  'ask',
  'answer',
  'request-data',
  'store',
  'stored',
  'complete-data',
  'abandon-data',
  'reset',
  'end',
  'close',
] as const;
export type SessionTrigger = (typeof sessionTriggers)[number];

/** What has no row is refused. Spec: MOD-RULE-serial. */
export const sessionTable: readonly Transition<SessionState, SessionTrigger>[] = [
  { from: 'reading', trigger: 'run', to: 'running' },
  { from: 'running', trigger: 'done', to: 'reading' },
  { from: 'running', trigger: 'ask', to: 'asking' },
  // A question is answered before anything else happens, if need be with nothing.
  { from: 'asking', trigger: 'answer', to: 'running' },
  { from: 'running', trigger: 'request-data', to: 'receiving' },
  { from: 'receiving', trigger: 'store', to: 'storing' },
  { from: 'storing', trigger: 'stored', to: 'receiving' },
  // All of it has come or the rest will not: the command makes its response.
  { from: 'receiving', trigger: 'complete-data', to: 'running' },
  { from: 'receiving', trigger: 'abandon-data', to: 'reading' },
  { from: 'storing', trigger: 'abandon-data', to: 'reading' },
  // The board has gone down: the command is not waited for.
  { from: 'running', trigger: 'reset', to: 'reading' },
  { from: 'reading', trigger: 'end', to: 'ended' },
  { from: 'reading', trigger: 'close', to: 'closed' },
  { from: 'running', trigger: 'close', to: 'closed' },
  { from: 'ended', trigger: 'close', to: 'closed' },
];

/** Whether the sender of input may send or has been asked to stop, and whether the input is being worked off. */
export const flowStates = ['flowing', 'flowing-working', 'paused', 'paused-working'] as const;
export type FlowState = (typeof flowStates)[number];

export const flowTriggers = ['begin', 'finish', 'pause', 'resume'] as const;
export type FlowTrigger = (typeof flowTriggers)[number];

/** Work does not begin within work, and its output is gathered until it is finished. */
export const flowTable: readonly Transition<FlowState, FlowTrigger>[] = [
  { from: 'flowing', trigger: 'begin', to: 'flowing-working' },
  { from: 'paused', trigger: 'begin', to: 'paused-working' },
  { from: 'flowing-working', trigger: 'finish', to: 'flowing' },
  { from: 'paused-working', trigger: 'finish', to: 'paused' },
  { from: 'flowing', trigger: 'pause', to: 'paused' },
  { from: 'paused', trigger: 'resume', to: 'flowing' },
];
