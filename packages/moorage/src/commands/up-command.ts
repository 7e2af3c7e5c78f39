import { defineCliCommand } from '../command-line/define.ts';
import { withServiceOptions } from './serve.ts';
import { upOptions } from './up-options.ts';

export const upCommand = defineCliCommand({
  name: 'up',
  summary:
    'The whole thing on this machine: service, example data, and one virtual module that is updated over the air',
  options: withServiceOptions(upOptions),
  run: async (call) => (await import('./up.ts')).runUp(call),
});
