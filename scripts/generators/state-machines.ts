import type { Transition } from '../../packages/base/src/transition.ts';
import { channelTransitions } from '../../packages/device/src/channel/table.ts';
import { twinTransitions } from '../../packages/fleet/src/twin-table.ts';
import { busTable } from '../../packages/module/src/bus/bus-table.ts';
import { pinTable } from '../../packages/module/src/device/pin-table.ts';
import { powerTable } from '../../packages/module/src/device/power-table.ts';
import { flowTable, sessionTable } from '../../packages/module/src/interpreter/session-table.ts';
import { joinTable } from '../../packages/module/src/wlan/join-table.ts';
import { bundleTransitions } from '../../packages/service/src/core/bundles/rules.ts';
import { deviceTransitions } from '../../packages/service/src/core/devices/rules.ts';
import { updateTransitions } from '../../packages/service/src/core/ota/rules.ts';
import { presenceTransitions, publicationTransitions } from '../../packages/service/src/core/products/rules.ts';
import {
  executionTransitions,
  rehearsalTransitions,
  rolloutTransitions,
} from '../../packages/service/src/extensions/fleet/rollouts/rules.ts';
import { code, page, table } from '../support/markdown.ts';

interface Machine {
  readonly title: string;
  readonly path: string;
  /** The table's name, for the page. */
  readonly tables: Readonly<Record<string, readonly Transition<string, string>[]>>;
}

/** Every state machine of the product: what it is of, and where its table is. */
const machines: readonly Machine[] = [
  { title: 'Device', path: 'packages/service/src/core/devices/rules.ts', tables: { deviceTransitions } },
  { title: 'Update of a device', path: 'packages/service/src/core/ota/rules.ts', tables: { updateTransitions } },
  {
    title: 'Rollout, one device in it, and its rehearsal',
    path: 'packages/service/src/extensions/fleet/rollouts/rules.ts',
    tables: { rolloutTransitions, executionTransitions, rehearsalTransitions },
  },
  { title: 'Bundle', path: 'packages/service/src/core/bundles/rules.ts', tables: { bundleTransitions } },
  {
    title: 'Product: publication',
    path: 'packages/service/src/core/products/rules.ts',
    tables: { publicationTransitions },
  },
  { title: 'Product: presence', path: 'packages/service/src/core/products/rules.ts', tables: { presenceTransitions } },
  { title: 'Power of a module', path: 'packages/module/src/device/power-table.ts', tables: { powerTable } },
  { title: 'Pin', path: 'packages/module/src/device/pin-table.ts', tables: { pinTable } },
  { title: 'Joining a network', path: 'packages/module/src/wlan/join-table.ts', tables: { joinTable } },
  { title: 'Serial bus', path: 'packages/module/src/bus/bus-table.ts', tables: { busTable } },
  {
    title: 'Session of the command line',
    path: 'packages/module/src/interpreter/session-table.ts',
    tables: { sessionTable, flowTable },
  },
  { title: 'Message channel', path: 'packages/device/src/channel/table.ts', tables: { channelTransitions } },
  { title: 'Module of a fleet', path: 'packages/fleet/src/twin-table.ts', tables: { twinTransitions } },
];

/** docs/generated/state-machines.md: all transition tables. */
export function renderStateMachines(): string {
  const parts = machines.flatMap(({ title, path, tables }) =>
    Object.entries(tables).flatMap(([name, rows]) => [
      `## ${title}`,
      `${code(name)} in ${code(path)}`,
      table(
        ['from', 'trigger', 'to'],
        rows.map(({ from, trigger, to }) => [from, trigger, to]),
      ),
    ]),
  );
  return page('State machines', 'A pair of state and trigger without a row is refused.', ...parts);
}
