import { str, table, words } from './kinds.ts';
import { pinTable } from './pins.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-gpio.*. */
export const gpioVariables = defineVariables([
  {
    name: 'gpio.alias',
    shortcut: 'gp a',
    kind: str(15),
    default: '',
    evidence: 'documented',
    index: 'gpio',
    help: 'Name of a pin',
  },
  {
    name: 'gpio.init',
    shortcut: 'gp i',
    aliases: ['gpio_init'],
    kind: { type: 'direction' },
    default: '',
    apply: 'boot',
    evidence: 'documented',
    index: 'gpio',
    ownsPin: true,
    help: 'Direction and level of a pin at boot; none for none',
  },
  {
    name: 'gpio.sleep',
    shortcut: 'gp s',
    kind: words('default', 'input_highz', 'input_pullup', 'input_pulldown', 'output_low', 'output_high'),
    default: 'default',
    evidence: 'documented',
    index: 'gpio',
    help: 'State of a pin during sleep',
  },
  {
    name: 'gpio.usage',
    shortcut: 'gp u',
    kind: table,
    default: '',
    access: 'get',
    evidence: 'documented',
    read: pinTable,
    help: 'Pins that are in use',
  },
]);
