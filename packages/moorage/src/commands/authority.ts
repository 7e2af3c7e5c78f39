import { defineCliCommand, UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import { timeText } from '../command-line/table.ts';
import { type Administration, onStorage, withStorageOptions } from './storage-options.ts';

type Authority = Awaited<ReturnType<Administration['showAuthorities']>>[number];

/** One event for each authority, the newest first. */
function report(reporter: Reporter, authorities: readonly Authority[]): void {
  for (const one of authorities) {
    const seen = one.devices === 0 ? '' : `, ${one.recent_devices} of them heard of in the last 30 days`;
    const line = `${one.name}: ${one.state} since ${timeText(one.changed_at, 'day')}, until ${timeText(one.valid_to, 'day')}`;
    reporter.event('authority', { ...one }, `${line}; devices that go by it: ${one.devices}${seen}`);
  }
}

export const authorityShowCommand = defineCliCommand({
  name: 'show',
  parent: 'authority',
  summary: 'List the authorities, and how many devices go by each',
  options: withStorageOptions({}),
  async run({ sources, reporter }) {
    report(reporter, await onStorage(sources, ({ showAuthorities }, place) => showAuthorities(place)));
  },
});

export const authorityRotateCommand = defineCliCommand({
  name: 'rotate',
  parent: 'authority',
  summary: 'Make a new authority beside the present one; the service may be running',
  options: withStorageOptions({}),
  async run({ sources, reporter }) {
    const authorities = await onStorage(sources, async ({ rotate, showAuthorities }, place) => {
      const made = await rotate(place);
      if (!made.ok) throw new UserError(made.error.message);
      return showAuthorities(place);
    });
    report(reporter, authorities);
  },
});

export const authorityRetireCommand = defineCliCommand({
  name: 'retire',
  parent: 'authority',
  summary: 'End the trust in the authority that has been replaced; the service may be running',
  options: withStorageOptions({
    force: { kind: 'switch', help: 'although devices go by it, which then have to be provisioned again' },
  }),
  async run({ options: { force }, sources, reporter }) {
    const authorities = await onStorage(sources, async ({ retire, showAuthorities }, place) => {
      const retired = await retire(place, force);
      if (!retired.ok) throw new UserError(`${retired.error.message}${force ? '' : ' (see --force)'}`);
      return showAuthorities(place);
    });
    report(reporter, authorities);
  },
});
