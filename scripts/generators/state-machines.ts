import type { Transition } from '../../packages/base/src/transition.ts';
import { code, page, table } from '../support/markdown.ts';
import { importOptional } from '../support/project.ts';

/** Every state machine of the product: what it is of, and where its table is. */
const machines = [
  { title: 'Bundle', path: 'packages/service/src/bundles/rules.ts', table: 'bundleTransitions' },
  { title: 'Product: publication', path: 'packages/service/src/products/rules.ts', table: 'publicationTransitions' },
  { title: 'Product: presence', path: 'packages/service/src/products/rules.ts', table: 'presenceTransitions' },
  { title: 'Joining a network', path: 'packages/module/src/wlan/join-table.ts', table: 'joinTable' },
  { title: 'Serial bus', path: 'packages/module/src/bus/bus-table.ts', table: 'busTable' },
] as const;

/** docs/generated/state-machines.md: all transition tables. */
export async function renderStateMachines(): Promise<string> {
  const parts: string[] = [];
  for (const machine of machines) {
    const module = await importOptional(machine.path);
    const rows = module?.[machine.table];
    if (rows === undefined) continue;
    parts.push(
      `## ${machine.title}`,
      `${code(machine.table)} in ${code(machine.path)}`,
      table(
        ['from', 'trigger', 'to'],
        // Every table of the list above has this type; the dynamic import erases it.
        (rows as readonly Transition<string, string>[]).map(({ from, trigger, to }) => [from, trigger, to]),
      ),
    );
  }
  return page('State machines', 'A pair of state and trigger without a row is refused.', ...parts);
}
