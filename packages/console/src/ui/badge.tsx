import { Badge } from '@mantine/core';
import { stateName } from '../texts/states.ts';

/** Colours of the states and tags of all things; the word says the same, the colour only says it faster. */
const colours: Readonly<Record<string, string>> = {
  active: 'teal',
  'never seen': 'blue',
  blocked: 'red',
  online: 'teal',
  live: 'teal',
  'not followed': 'orange',
  offline: 'gray',
  preview: 'blue',
  published: 'teal',
  archive: 'gray',
  trash: 'red',
  open: 'red',
  over: 'gray',
  watching: 'teal',
  silent: 'orange',
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

/** A state or tag as a small label. */
export function StateBadge({ state, detail = '' }: StateBadgeProps) {
  return (
    <Badge
      variant="default"
      radius="sm"
      tt="none"
      fw={500}
      // Whole: a state that is cut says nothing.
      miw="max-content"
      leftSection={
        <span
          aria-hidden
          style={{
            display: 'inline-block',
            width: 8,
            height: 8,
            borderRadius: 8,
            background: `var(--mantine-color-${colours[state] ?? 'gray'}-6)`,
          }}
        />
      }
    >
      {`${stateName(state)} ${detail}`.trim()}
    </Badge>
  );
}
