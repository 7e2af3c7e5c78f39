import { expect, test } from 'vitest';
import { commandDefiner } from './command.ts';
import { completeLine } from './completion.ts';
import { Registry } from './registry.ts';
import { ok } from './reply.ts';

const define = commandDefiner<object>();
const common = { group: 'test', spec: 'TEST', evidence: 'proposed', summary: '', run: () => ok() } as const;
const registry = new Registry<object>([
  define({
    ...common,
    name: 'get',
    shortcut: 'get',
    completes: 'variables',
    args: { words: { kind: 'words', help: '' } },
  }),
  define({ ...common, name: 'help', shortcut: 'help', completes: 'topics' }),
  define({ ...common, name: 'http_get', shortcut: 'hge' }),
  define({ ...common, name: 'hidden', shortcut: 'hidden', hidden: true }),
]);

// Spec: MOD-RULE-completion.
test.each<[string, string, readonly string[]]>([
  ['ge', 't ', ['get']],
  ['  ge', 't ', ['get']],
  ['h', '', ['help', 'http_get']],
  ['hid', '', []],
  ['', '', ['get', 'help', 'http_get']],
  ['get w', 'lan.', ['wlan.mac', 'wlan.ssid']],
  ['get   wlan.s', 'sid ', ['wlan.ssid']],
  ['get wlan.ssid w', '', []],
  ['hge w', '', []],
  ['help wlan.m', 'ac ', ['wlan.mac']],
  ['help com', 'mands ', ['commands']],
  ['help http', '_get ', ['http_get']],
  ['nothing w', '', []],
])('completeLine adds to %j', (before, insert, candidates) => {
  expect(completeLine(registry, () => ['wlan.mac', 'wlan.ssid'], before)).toEqual({ insert, candidates });
});
