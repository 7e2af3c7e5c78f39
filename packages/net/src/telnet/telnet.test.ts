import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escaped, optionBytes, subnegotiationBytes, type TelnetEvent, TelnetReader } from './telnet.ts';

/** Events with neighbouring data joined, which pieces of input cut elsewhere. */
function joined(events: readonly TelnetEvent[]): readonly TelnetEvent[] {
  const all: TelnetEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (event.kind === 'data' && last?.kind === 'data') {
      all[all.length - 1] = { kind: 'data', bytes: Uint8Array.from([...last.bytes, ...event.bytes]) };
    } else all.push(event.kind === 'data' ? { kind: 'data', bytes: Uint8Array.from(event.bytes) } : event);
  }
  return all;
}

const byteByByte = (bytes: Uint8Array): readonly TelnetEvent[] => {
  const reader = new TelnetReader();
  return joined(Array.from(bytes).flatMap((byte) => reader.read(Uint8Array.of(byte))));
};

const data = (...bytes: number[]): TelnetEvent => ({ kind: 'data', bytes: Uint8Array.from(bytes) });

// MOD-NET-telnet
test.each([
  ['data', [97, 98], [data(97, 98)]],
  ['an escaped byte', [97, 255, 255, 98], [data(97, 255, 98)]],
  ['an option', [97, 255, 253, 1, 98], [data(97), { kind: 'option', verb: 'DO', option: 1 }, data(98)]],
  ['an option of number 255', [255, 251, 255], [{ kind: 'option', verb: 'WILL', option: 255 }]],
  ['a command', [255, 243, 97], [{ kind: 'command', code: 243 }, data(97)]],
  [
    'a subnegotiation with an escaped byte',
    [255, 250, 44, 1, 255, 255, 2, 255, 240, 97],
    [{ kind: 'subnegotiation', option: 44, payload: Uint8Array.of(1, 255, 2) }, data(97)],
  ],
  [
    'a subnegotiation with a stray command',
    [255, 250, 24, 255, 241, 1, 255, 240],
    [{ kind: 'subnegotiation', option: 24, payload: Uint8Array.of(1) }],
  ],
  ['what is not complete', [97, 255, 250, 44, 1], [data(97)]],
] as const)('TelnetReader reads %s, whole and byte by byte', (_, bytes, events) => {
  expect(joined(new TelnetReader().read(Uint8Array.from(bytes)))).toEqual(events);
  expect(byteByByte(Uint8Array.from(bytes))).toEqual(events);
});

test('TelnetReader reads any bytes the same in any pieces', () => {
  const telling = fc.array(fc.oneof(fc.constantFrom(255, 250, 240, 253, 44), fc.nat(255)), { maxLength: 60 });
  fc.assert(
    fc.property(telling, (bytes) => {
      const whole = joined(new TelnetReader().read(Uint8Array.from(bytes)));
      expect(byteByByte(Uint8Array.from(bytes))).toEqual(whole);
    }),
  );
});

test('TelnetReader keeps no more than 256 bytes of a subnegotiation', () => {
  const bytes = Uint8Array.from([255, 250, ...new Array(10_000).fill(7), 255, 240]);
  const [event] = new TelnetReader().read(bytes);
  expect(event?.kind === 'subnegotiation' && event.payload.length).toBe(255);
});

test('what is sent is read back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), fc.uint8Array({ maxLength: 50 }), (bytes, payload) => {
      const sent = [escaped(bytes), optionBytes('WONT', 44), subnegotiationBytes(44, payload)];
      const events = joined(new TelnetReader().read(Buffer.concat(sent)));
      expect(events.filter(({ kind }) => kind !== 'data')).toEqual([
        { kind: 'option', verb: 'WONT', option: 44 },
        { kind: 'subnegotiation', option: 44, payload: Uint8Array.from(payload) },
      ]);
      expect(events.flatMap((event) => (event.kind === 'data' ? [...event.bytes] : []))).toEqual([...bytes]);
    }),
  );
});
