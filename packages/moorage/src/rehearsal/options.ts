import { clientOptions } from '../client/service-client.ts';
import type { Resolved } from '../command-line/options.ts';
import { metricNames } from './report.ts';

/** Settings of `moorage rehearse`. */
export const rehearseOptions = {
  rollout: {
    kind: 'text',
    placeholder: 'FILE|ID',
    help: 'body of the call that creates it, as JSON; or its id in a service',
  },
  ...clientOptions,
  product: {
    kind: 'text',
    placeholder: 'CODE',
    help: 'product of a service whose fleet the twins are like; that of --rollout ID without it',
  },
  backup: { kind: 'text', placeholder: 'FILE', help: 'ask a backup of a service instead of one that runs' },
  scenario: { kind: 'text', placeholder: 'FILE', help: 'what the twins are and have to bear, as for moorage fleet' },
  shape: { kind: 'text', placeholder: 'FILE', help: 'what a service has said of the shape of a fleet, as JSON' },
  bundle: {
    kind: 'text',
    placeholder: 'FOLDER',
    help: 'files of the bundle',
    defaultText: 'those of the bundle of --rollout ID, else of the example',
  },
  'bundle-version': {
    kind: 'text',
    placeholder: 'VERSION',
    default: '1.0.0.1',
    help: 'its version, where no service says it',
  },
  from: {
    kind: 'text',
    placeholder: 'VERSION',
    default: '1.0.0.0',
    help: 'what twins run of which nothing else is said',
  },
  devices: { kind: 'count', placeholder: 'N', default: 200, help: 'twins' },
  seeds: { kind: 'count', placeholder: 'N', default: 3, help: 'runs, each with other chances' },
  seed: { kind: 'count', placeholder: 'N', default: 1, help: 'of the first run; the next ones follow it' },
  days: { kind: 'count', placeholder: 'N', default: 14, help: 'longest time that is looked at, in days' },
  compare: {
    kind: 'switch',
    help: 'rehearse it with half the pace, with gates that wait twice as long and with one stage, too',
  },
  html: { kind: 'text', placeholder: 'FILE', help: 'write the report as one page, too' },
  junit: { kind: 'text', placeholder: 'FILE', help: 'write what --fail-if says as results of tests, too' },
  'fail-if': {
    kind: 'text',
    placeholder: 'CONDITIONS',
    help: `end with 3 if one of them holds in a run: "reached_before_abort > 2%, done < 95%"; of ${metricNames.join(', ')}`,
  },
} as const;

export type RehearseFlags = Resolved<typeof rehearseOptions>;
