import { bool, u8, words } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-uart.*. */
export const uartVariables = defineVariables([
  {
    name: 'uart.baud',
    shortcut: 'ua b',
    kind: { type: 'baud' },
    default: 115_200,
    apply: 'uart',
    evidence: 'documented',
    index: { words: ['0', '1'] },
    help: 'Rate of a UART',
  },
  {
    name: 'uart.data',
    shortcut: 'ua d',
    kind: u8(7, 9),
    default: 8,
    apply: 'uart',
    evidence: 'documented',
    index: { words: ['0', '1'] },
    help: 'Data bits of a UART',
  },
  {
    name: 'uart.flow',
    shortcut: 'ua f',
    kind: bool,
    default: false,
    apply: 'uart',
    evidence: 'documented',
    index: { words: ['0', '1'] },
    help: 'RTS and CTS of a UART',
  },
  {
    name: 'uart.parity',
    shortcut: 'ua p',
    kind: words('none', 'odd', 'even'),
    default: 'none',
    apply: 'uart',
    evidence: 'documented',
    index: { words: ['0', '1'] },
    help: 'Parity of a UART',
  },
  {
    name: 'uart.stop',
    shortcut: 'ua s',
    kind: u8(1, 2),
    default: 1,
    apply: 'uart',
    evidence: 'documented',
    index: { words: ['0', '1'] },
    help: 'Stop bits of a UART',
  },
]);
