import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { testStore } from '../testing/variable-rig.ts';
import { allVariables } from './index.ts';
import { type Kind, parseValue, printValue, saveText } from './kinds.ts';
import { NameIndex } from './names.ts';
import type { Variable } from './variable.ts';

interface Samples {
  /** What is typed, and what `get` prints then. */
  readonly good: readonly (readonly [typed: string, printed: string])[];
  readonly bad: readonly string[];
}

const same = (...texts: string[]): Samples['good'] => texts.map((text) => [text, text]);

type Sampler<T extends Kind['type']> = (kind: Extract<Kind, { type: T }>, index: string | undefined) => Samples;

/** Good and bad values of every kind; a new kind does not compile without them. */
const samplers: { readonly [T in Kind['type']]: Sampler<T> } = {
  bool: () => ({
    good: [...same('0', '1'), ['on', '1'], ['OFF', '0'], ['true', '1'], ['False', '0']],
    bad: ['', '2', 'yes', '-1', '01'],
  }),
  int: (kind) => ({
    good: [...same(String(kind.min), String(kind.max)), [`0x${kind.max.toString(16)}`, String(kind.max)]],
    bad: ['', 'x', '1.5', '1e1', String(kind.min - 1), String(kind.max + 1), '99999999999'],
  }),
  gpio: () => ({ good: [...same('0', '28', '-1'), ['0x1c', '28']], bad: ['', '29', '-2', 'x', '1.0'] }),
  hex: () => ({
    good: [
      ['0x3ffF', '0x3FFF'],
      ['1f', '0x1F'],
      ['0', '0x0'],
    ],
    bad: ['', '0x4000', 'x', '-1'],
  }),
  enum: (kind) => ({
    good: [...same(...kind.words), ...Object.entries(kind.synonyms ?? {})],
    bad: ['', 'bogus', `${kind.words[0]}x`, (kind.words[0] ?? '').toUpperCase().padEnd(2, '!')],
  }),
  str: (kind) => {
    return { good: same('', 'a'.repeat(kind.max)), bad: ['a'.repeat(kind.max + 1), '\u00e9'.repeat(kind.max)] };
  },
  ssid: () => ({
    good: [
      ...same('', 'a'.repeat(32), 'my net', 'caf\u00e9'),
      ['\\x01a', '\\x01a'],
      ['\\x41', 'A'],
      ['\\xff', '\\xFF'],
    ],
    bad: ['a'.repeat(33), '\u00e9'.repeat(17), `${'\\x41'.repeat(33)}`],
  }),
  key: (kind) => ({
    good: [...same('', 'a'.repeat(kind.min), 'a'.repeat(kind.max)), ['\\0', '']],
    bad: ['a'.repeat(kind.min - 1), 'a'.repeat(kind.max + 1), 'a'],
  }),
  ip: () => ({
    good: [...same('0.0.0.0', '255.255.255.255'), ['010.0.0.1', '10.0.0.1']],
    bad: ['', '1.2.3', '1.2.3.256', 'x', '1.2.3.4.5'],
  }),
  csv: () => ({ good: same(''), bad: ['a b', 'x,', ',', '\u00e9', 'gpio29,adc', `${'a,'.repeat(200)}a`] }),
  file: () => ({ good: same('', 'webapp/a b.html', 'f'.repeat(95)), bad: ['f'.repeat(96), 'a\tb', '\u00e9'] }),
  mac: () => ({
    good: [
      ...same('', 'AA:BB:CC:DD:EE:0F'),
      ['aabbccddee0f', 'AA:BB:CC:DD:EE:0F'],
      ['aa-bb-cc-dd-ee-0f', 'AA:BB:CC:DD:EE:0F'],
    ],
    bad: ['aa:bb:cc:dd:ee', 'x', 'gg:bb:cc:dd:ee:ff'],
  }),
  zone: () => ({
    good: [...same('0', '-4:30', '12:30', '-12:30', '5'), ['+5', '5'], ['-0', '0'], ['3:00', '3']],
    bad: ['', '13', '-13', '4:15', '5:30x', '12:31'],
  }),
  baud: () => ({
    good: [...same('9600', '921600'), ['12345 raw', '12345']],
    bad: ['', '12345', '0 raw', '9600 cooked', '10000001 raw'],
  }),
  pin_events: () => ({
    good: [...same('', '3 data', '28 data,connected'), ['07 connected', '7 connected'], ['-1', '']],
    bad: ['3', '3 nothing', '29 data', 'x data', '3 data,data', '3 data connected', '3 data,'],
  }),
  direction: () => ({
    good: [
      ...['ipu', 'inpu', 'input_pu', 'input_pullup'].map((name) => [name, 'input_pullup'] as const),
      ...['in', 'input', 'inhz', 'in_highz', 'input_hz'].map((name) => [name, 'input_highz'] as const),
      // The spelling of the specification.
      ['ouput_od 1', 'output_open_drain 1'],
      ['out 0', 'output_push_pull 0'],
      ['out', 'output_push_pull 0'],
      ['oodpu', 'output_open_drain_pullup 0'],
      ['none', ''],
    ],
    bad: ['', 'sideways', 'out 2', 'out 1 1', 'none 1'],
  }),
  blink: (kind, index) => {
    const count = kind.states[index ?? ''] ?? 0;
    const patterns = Array.from({ length: count }, () => 'slow_blink');
    return {
      good: same(patterns.join('|')),
      bad: ['', patterns.slice(1).join('|'), [...patterns, 'static_on'].join('|'), 'x'],
    };
  },
  table: () => ({ good: [], bad: [] }),
};

// The sampler of a kind is asked about that very kind.
const samples = (kind: Kind, index: string | undefined): Samples =>
  (samplers[kind.type] as Sampler<Kind['type']>)(kind as never, index);

const indexesOf = (variable: Variable): readonly (string | undefined)[] => {
  if (!variable.index) return [undefined];
  return variable.index === 'gpio' ? ['0', '28'] : variable.index.words;
};

describe('table of variables', () => {
  const names = new NameIndex(allVariables);

  test('names are dotted lower-case words, sorted, each with help', () => {
    for (const variable of allVariables) {
      expect(variable.name).toMatch(/^[a-z_]+(\.[a-z_]+){1,3}$/);
      expect(variable.help).toMatch(/^[A-Z0-9].*[^.]$/);
    }
    const listed = allVariables.map((variable) => variable.name);
    expect(listed).toEqual(listed.toSorted());
    expect(new Set(listed).size).toBe(listed.length);
  });

  test('shortcuts are unique, two letters first, then letters separated by spaces', () => {
    const all = allVariables.flatMap((variable) => names.shortcutsOf(variable));
    expect(new Set(all).size).toBe(all.length);
    for (const shortcut of all) expect(shortcut).toMatch(/^[a-z]{2}( [a-z]){1,3}$/);
    for (const variable of allVariables) {
      const [first = ''] = variable.shortcut.split(' ');
      const word = variable.name.split('.')[0] ?? '';
      expect([word.slice(0, 2), 'cl']).toContain(first);
    }
  });

  test('two variables with one name or shortcut are refused', () => {
    const [first] = allVariables;
    if (!first) throw new Error('There are no variables');
    expect(() => new NameIndex([first, { ...first, name: 'other.name' }])).toThrow(/both claim 'br d'/);
  });

  // What `read` makes is no default. Defaults may be what no `set` can bring back: nothing, a long notice, a table.
  const defaults = allVariables
    .filter(({ name, kind, read, write }) => (!read || write) && name !== 'system.msg' && kind.type !== 'table')
    .flatMap((variable) =>
      indexesOf(variable).map((index) => ({
        name: variable.name,
        variable,
        index,
        value: typeof variable.default === 'object' ? variable.default[index ?? ''] : variable.default,
      })),
    )
    .filter(({ value }) => value !== undefined && value !== '');

  test.each(defaults)(
    '$name $index has the default $value, which is of its kind',
    ({ variable, index, value = '' }) => {
      const parsed = parseValue(variable.kind, [saveText(variable.kind, value)], { gpioCount: 29, index });
      expect(parsed).toEqual({ ok: true, value });
      expect(typeof printValue(variable.kind, value)).toBe('string');
    },
  );
});

// Every row of the table is read, and set where it can be. What each does is proven elsewhere, id by id.
describe('setting variables', () => {
  const settable = allVariables.filter((variable) => variable.access !== 'get');
  const readOnly = allVariables.filter((variable) => variable.access === 'get');

  test.each(settable.map((variable) => [variable.name, variable] as const))(
    '%s takes good values and refuses bad ones',
    (name, variable) => {
      for (const index of indexesOf(variable)) {
        const call = index === undefined ? [name] : [name, index];
        const shortCall = [...variable.shortcut.split(' '), ...call.slice(1)];
        const { good, bad } = samples(variable.kind, index);
        for (const [typed, printed] of good) {
          const { store } = testStore();
          expect([typed, store.assign([...shortCall, typed])]).toMatchObject([typed, { ok: true }]);
          // A clock shows what it has been set to, in seconds.
          expect(store.query(call)).toEqual({ ok: true, value: { kind: 'value', text: printed } });
          expect(store.query(shortCall)).toEqual(store.query(call));
        }
        for (const typed of bad) {
          const { store } = testStore();
          const before = store.query(call);
          expect([typed, store.assign([...call, typed])]).toEqual([typed, { ok: false, error: { error: 'invalid' } }]);
          expect(store.query(call)).toEqual(before);
        }
        expect(testStore().store.assign(call)).toEqual({ ok: false, error: { error: 'missing' } });
      }
    },
  );

  // The clock is not saved.
  const saved = settable.filter(({ write }) => !write);
  test.each(saved.map((variable) => [variable.name, variable] as const))(
    '%s keeps good values over save and load',
    async (name, variable) => {
      for (const index of indexesOf(variable)) {
        const call = index === undefined ? [name] : [name, index];
        for (const [typed] of samples(variable.kind, index).good) {
          const { store, reopen } = testStore();
          unwrap(store.assign([...call, typed]));
          const before = store.query(call);
          await store.save();
          const again = await reopen();
          expect([typed, again.query(call)]).toEqual([typed, before]);
        }
      }
    },
  );

  test.each(settable.map((variable) => [variable.name, variable] as const))(
    '%s has good values to try, and is read by name and shortcut',
    (name, variable) => {
      for (const index of indexesOf(variable)) expect(samples(variable.kind, index).good).not.toEqual([]);
      const { store } = testStore();
      expect(store.query([name])).toMatchObject({ ok: true });
      expect(store.query(variable.shortcut.split(' '))).toEqual(store.query([name]));
    },
  );

  test.each(readOnly.map((variable) => [variable.name, variable] as const))(
    '%s is read by name and shortcut, and cannot be set',
    (name, variable) => {
      const { store } = testStore();
      const read = store.query([name]);
      expect(read).toMatchObject({ ok: true });
      expect(store.query(variable.shortcut.split(' '))).toEqual(read);
      expect(store.assign([name, '1'])).toEqual({ ok: false, error: { error: 'invalid' } });
    },
  );

  test('a kind of one word refuses more of them', () => {
    for (const words of [
      ['bus.mode', 'command', 'x'],
      ['network.status', 'x', 'y'],
      ['wl', 'o', 'e', '1', '1'],
    ]) {
      expect(testStore().store.assign(words).ok).toBe(false);
    }
    expect(testStore().store.assign(['bus.mode', 'command', 'x'])).toMatchObject({ error: { error: 'too-many' } });
  });
});
