import { neutralTexts } from '../texts/texts.ts';
import type { PersonalityData } from './data.ts';
import { noTimings } from './timings.ts';

/** The 2.x firmware of the specification, under no maker's name. */
export const neutralData: PersonalityData = {
  name: 'Moorage',
  version: '2.2.0.12',
  built: '2015-04-08 20:12:21',
  build: '16eee81',
  module: 'Module.3',
  board: 'Harbour.3',
  cloudPrefix: 'cloud',
  commands: {},
  commandAliases: {},
  // Client libraries in the field send `-o` before the flags.
  optionOrder: { file_create: 'before' },
  variableDefaults: {},
  // Those that change what a program may read are off.
  habits: { controlKeys: true, completion: true, redraw: false, helpExamples: false },
  unsetClock: 'host',
  timings: noTimings,
  texts: neutralTexts,
  rows: {
    // Columns as in the captures, with a space that stays when a number is wider than its column: hosts split at spaces.
    list: '#%3d %6d %9s  %s',
    listVerbose: '#%3d %c-%02X   %04X %4d %7d %10s  %s',
    streamList: '# %d %-6s%s',
    scan: '#%3d%3d%5d %s %s',
    scanVerbose: '#%3d%3d%5d %s %5s %-10s %3s %2d %s',
    services: '# %d %-32s %-15s %d',
    products: '# %d %-32s %-10s %s',
    messages: '# %d %s %d %d',
    capabilities: '# %d %-32s %-10s %d',
    cloudFiles: '# %d %8d %s %s %s',
  },
};
