import { texts } from './language.ts';

export const t = texts({
  justNow: ['just now', 'gerade eben'],
  byte: [
    { one: 'byte', other: 'bytes' },
    { one: 'Byte', other: 'Byte' },
  ],
  never: ['never', 'nie'],
});
