import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteMsOf, type LineSettings, type Parity, receivedAs } from './line-settings.ts';

const usual: LineSettings = { baud: 115_200, dataBits: 8, parity: 'none', stopBits: 1 };
const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);

test.each([
  [usual, 10 / 115.2],
  [{ ...usual, baud: 1200 }, 10 / 1.2],
  [{ ...usual, parity: 'even', stopBits: 2 }, 12 / 115.2],
  [{ ...usual, dataBits: 7, stopBits: 1.5 }, 9.5 / 115.2],
] as const)('byteMsOf counts start, data, parity and stop bits of %j', (settings, ms) => {
  expect(byteMsOf(settings)).toBeCloseTo(ms, 9);
});

test('a UART that is set alike receives every byte, whatever the stop bits', () => {
  for (const parity of ['none', 'odd', 'even', 'mark', 'space'] as const) {
    const sent = { ...usual, parity, stopBits: 2 };
    expect(receivedAs(all, sent, { ...sent, stopBits: 1 })).toEqual({ bytes: all, framingErrors: 0, parityErrors: 0 });
  }
});

test('a rate that is off by 4 % is heard well, one that is off by 30 % is not', () => {
  const text = Buffer.from('the quick brown fox');
  expect(receivedAs(text, usual, { ...usual, baud: 119_800 }).bytes).toEqual(Uint8Array.from(text));
  expect(Buffer.from(receivedAs(text, usual, { ...usual, baud: 150_000 }).bytes)).not.toEqual(text);
});

test('a wrong rate makes garbage out of text, the same each time', () => {
  const text = Buffer.from('get wlan.ssid\r\n');
  for (const [sent, received] of [
    [115_200, 9600],
    [9600, 115_200],
    [57_600, 115_200],
    [115_200, 57_600],
  ] as const) {
    const once = receivedAs(text, { ...usual, baud: sent }, { ...usual, baud: received });
    expect(Buffer.from(once.bytes).toString('latin1')).not.toContain('get');
    expect(receivedAs(text, { ...usual, baud: sent }, { ...usual, baud: received })).toEqual(once);
  }
});

test('the wrong parity throws bytes away and counts them', () => {
  const received = receivedAs(all, { ...usual, parity: 'odd' }, { ...usual, parity: 'even' });
  expect(received).toEqual({ bytes: new Uint8Array(), framingErrors: 0, parityErrors: 256 });
});

test('seven bits of data lose the eighth', () => {
  const seven = { ...usual, dataBits: 7 };
  expect(receivedAs(Buffer.from([0xc1, 0x41]), seven, seven).bytes).toEqual(Uint8Array.of(0x41, 0x41));
  // The eighth bit of the host is where the stop bit is expected.
  expect(receivedAs(Buffer.from([0x41, 0xc1]), usual, seven)).toMatchObject({ framingErrors: 1 });
});

test('receivedAs ends, and never returns more than there was time for', () => {
  const settings = fc.record({
    baud: fc.integer({ min: 50, max: 4_000_000 }),
    dataBits: fc.integer({ min: 5, max: 9 }),
    parity: fc.constantFrom<Parity>('none', 'odd', 'even', 'mark', 'space'),
    stopBits: fc.constantFrom(1, 1.5, 2),
  });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), settings, settings, (bytes, sent, received) => {
      const { bytes: taken, framingErrors, parityErrors } = receivedAs(bytes, sent, received);
      // At most one frame begins at each falling edge, of which a byte has five.
      expect(taken.length + framingErrors + parityErrors).toBeLessThanOrEqual(5 * bytes.length);
    }),
  );
});
