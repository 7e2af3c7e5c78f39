import type { CSSProperties } from 'react';
import { stateName } from '../texts/states.ts';

/** Colours of the states and tags of all things; the word says the same, the colour only says it faster. */
const colours: Readonly<Record<string, string>> = {
  active: 'teal',
  'never seen': 'blue',
  blocked: 'red',
  connected: 'teal',
  'on time': 'teal',
  late: 'orange',
  live: 'teal',
  'not followed': 'orange',
  preview: 'blue',
  published: 'teal',
  archive: 'gray',
  trash: 'red',
  open: 'red',
  over: 'gray',
  watching: 'teal',
  silent: 'red',
  muted: 'orange',
  off: 'gray',
  alpha: 'grape',
  beta: 'orange',
  release: 'teal',
  done: 'teal',
  'up to date': 'teal',
  offered: 'blue',
  downloading: 'blue',
  installed: 'blue',
  updating: 'blue',
  'update waiting': 'orange',
  'update failed': 'red',
  running: 'blue',
  paused: 'orange',
  finished: 'teal',
  aborted: 'red',
  'rolled back': 'red',
  failed: 'red',
  failing: 'red',
  superseded: 'gray',
  delivered: 'teal',
  'not fetched yet': 'orange',
  ok: 'teal',
  info: 'blue',
  warning: 'orange',
  error: 'red',
  admin: 'grape',
};

interface StateBadgeProps {
  readonly state: string;
  /** Behind the state: how far it is. */
  readonly detail?: string;
}

/** A state or tag as a small label: one element, for a list has hundreds of them. */
export function StateBadge({ state, detail = '' }: StateBadgeProps) {
  // Safe: a name that begins with two hyphens is one of ours.
  const style = { '--state': `var(--mantine-color-${colours[state] ?? 'gray'}-6)` } as CSSProperties;
  return (
    <span className="state" style={style}>
      {`${stateName(state)} ${detail}`.trim()}
    </span>
  );
}
