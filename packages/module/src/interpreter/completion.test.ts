import { expect, test } from 'vitest';
import { commandDefiner } from './command.ts';
import { type CompletionBoard, completeLine } from './completion.ts';
import { Registry } from './registry.ts';
import { ok } from './reply.ts';

const boardWith = (completion: boolean): CompletionBoard => ({
  personality: { habits: { completion } },
  flash: { list: () => ['hello.txt', 'web/a b.html', 'web/index.html', 'caf\u00e9'].map((name) => ({ name })) },
});

const names = ['wlan.mac', 'wlan.ssid'];
const deepNames = ['ntp.server', 'wlan.rate.max', 'wlan.rate.min', 'wlan.ssid'];
const define = commandDefiner<CompletionBoard>();
const common = { group: 'test', spec: 'TEST', evidence: 'proposed', summary: '', run: () => ok() } as const;
const registry = new Registry<CompletionBoard>([
  define({
    ...common,
    name: 'get',
    shortcut: 'get',
    completes: (_, words) => (words.length === 0 ? { words: names, dotted: true } : { words: [] }),
    args: { words: { kind: 'words', help: '' } },
  }),
  define({
    ...common,
    name: 'help',
    shortcut: 'help',
    completes: () => ({
      words: ['all', 'commands', 'variables', 'get', 'help', 'http_get', ...names],
      dotted: true,
    }),
  }),
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
  expect(completeLine(registry, boardWith(false), before)).toEqual({ insert, candidates });
});

const shell = new Registry<CompletionBoard>([
  define({
    ...common,
    name: 'deep',
    shortcut: 'deep',
    completes: (_, words) => (words.length === 0 ? { words: deepNames, dotted: true } : undefined),
    args: { name: { kind: 'word', help: '' }, level: { kind: 'choice', choices: ['high', 'low'], help: '' } },
  }),
  define({
    ...common,
    name: 'file',
    shortcut: 'file',
    options: {
      iface: { kind: 'value', flag: '-i', value: { kind: 'choice', choices: ['softap', 'wlan'], help: '' }, help: '' },
      open: { kind: 'switch', flag: '-o', help: '' },
      letters: { kind: 'letters', letters: 'eu', help: '' },
    },
    args: {
      name: { kind: 'file', offers: ['all'], help: '' },
      bit: { kind: 'bit', help: '' },
    },
  }),
  define({ ...common, name: 'hidden', shortcut: 'hidden', hidden: true, args: { name: { kind: 'file', help: '' } } }),
]);

test.each<[string, string, readonly string[]]>([
  ['deep w', 'lan.', ['wlan.']],
  ['deep n', 'tp.server ', ['ntp.server']],
  ['deep wlan.r', 'ate.', ['wlan.rate.']],
  ['deep ', '', ['ntp.', 'wlan.']],
  ['deep ntp.server ', '', ['high', 'low']],
  ['deep ntp.server h', 'igh ', ['high']],
  ['file h', 'ello.txt ', ['hello.txt']],
  ['file a', 'll ', ['all']],
  ['file web/', 'index.html ', ['web/index.html']],
  ['file "web/a', ' b.html" ', ['web/a b.html']],
  ['file caf', '\xc3\xa9 ', ['caf\xc3\xa9']],
  ['file "web/a b.html" ', '', ['0', '1']],
  ['file "web/a b', '.html" ', ['web/a b.html']],
  ['file "a" "b" "c', '', []],
  ['file -', '', ['-i', '-o']],
  ['file -o -', 'i ', ['-i']],
  ['file -i ', '', ['softap', 'wlan']],
  ['file -i wlan h', 'ello.txt ', ['hello.txt']],
  ['file -o h', 'ello.txt ', ['hello.txt']],
  ['file x 1 ', '', []],
  ['hidden h', '', []],
])('completeLine adds to %j with the habits of shells', (before, insert, candidates) => {
  expect(completeLine(shell, boardWith(true), before)).toMatchObject({ insert, candidates });
});

test('completeLine lists what a group holds at once', () => {
  const candidates = ['wlan.rate.', 'wlan.ssid'];
  expect(completeLine(shell, boardWith(true), 'deep wlan.')).toEqual({ insert: '', candidates, atOnce: true });
});

test.each(['deep ntp.server h', 'file h', 'file -'])('completeLine adds nothing to %j without the habit', (before) => {
  expect(completeLine(shell, boardWith(false), before)).toEqual({ insert: '', candidates: [] });
});
