import { unwrap, VirtualClock } from '@moorage/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pins } from './gpio.ts';
import { maxControlLineBytes, PinControl } from './pin-control.ts';

function rig() {
  const clock = new VirtualClock();
  const pins = new Pins({ clock, count: 8, ownerOf: () => undefined });
  const lines: unknown[] = [];
  const control = new PinControl(pins, clock, (line) => {
    expect(line.endsWith('\n')).toBe(true);
    lines.push(JSON.parse(line));
  });
  const send = (text: string): readonly unknown[] => {
    control.receive(Buffer.from(text));
    return lines.splice(0);
  };
  return { clock, control, lines, pins, send };
}

const dialogue =
  '{"watch":[1,2]}\r\n{"drive":{"pin":1,"level":1}}\n\n{"drive":{"pin":1,"level":null}}\n{"unwatch":[1]}\n';

const answers = [
  { ok: true },
  { pin: 1, level: null, ms: 0 },
  { pin: 2, level: null, ms: 0 },
  { pin: 1, level: 1, ms: 0 },
  { ok: true },
  { pin: 1, level: null, ms: 0 },
  { ok: true },
  { ok: true },
];

describe('the control protocol', () => {
  test('answers each request, whole or byte by byte', () => {
    expect(rig().send(dialogue)).toEqual(answers);
    const { control, lines } = rig();
    for (const byte of Buffer.from(dialogue)) control.receive(Uint8Array.of(byte));
    expect(lines).toEqual(answers);
  });

  test('reports what watched pins do, with the time of the module', async () => {
    const { clock, control, lines, pins, send } = rig();
    send('{"watch":[3]}\n');
    await clock.advance(250);
    unwrap(pins.register(3, 3, 1));
    pins.deregister(3);
    unwrap(pins.modulate(3, 50, 10));
    pins.deregister(3);
    unwrap(pins.convert(3, 1.5));
    expect(lines.splice(0)).toEqual([
      { pin: 3, level: 1, ms: 250 },
      { pin: 3, level: null, ms: 250 },
      { pin: 3, hz: 50, dutyPercent: 10, ms: 250 },
      { pin: 3, level: null, ms: 250 },
      { pin: 3, volts: 1.5, ms: 250 },
    ]);
    control.close();
    pins.deregister(3);
    expect(lines).toEqual([]);
  });

  test('drives levels, waveforms, voltages and curves', async () => {
    const { clock, pins, send } = rig();
    expect(send('{"drive":{"pin":1,"wave":[[1,100],[0,100]],"repeat":true}}\n')).toEqual([{ ok: true }]);
    expect(send('{"analog":{"pin":2,"volts":1.2}}\n')).toEqual([{ ok: true }]);
    expect(send('{"analog":{"pin":3,"points":[[0,0],[1000,2]],"repeat":true}}\n')).toEqual([{ ok: true }]);
    expect(send('{"analog":{"pin":4,"points":[[500,1],[1000,2]]}}\n')).toEqual([{ ok: true }]);
    const volts = (pin: number) => pins.sample(pin);
    expect([pins.asserted(1), volts(2), volts(3), volts(4)]).toEqual([
      true,
      { ok: true, value: 1.2 },
      { ok: true, value: 0 },
      { ok: true, value: 1 },
    ]);
    await clock.advance(150);
    expect(pins.asserted(1)).toBe(false);
    await clock.advance(600);
    expect([volts(3), volts(4)]).toEqual([
      { ok: true, value: 1.5 },
      { ok: true, value: 1.5 },
    ]);
    await clock.advance(750);
    expect([volts(3), volts(4)]).toEqual([
      { ok: true, value: 1 },
      { ok: true, value: 2 },
    ]);
    expect(send('{"analog":{"pin":2,"volts":null}}\n')).toEqual([{ ok: true }]);
    expect(volts(2)).toEqual({ ok: true, value: 0 });
  });

  const noKey = 'A request is an object with one key: drive, analog, watch, unwatch, reset, fault, power';
  const noDrive = 'Key "drive" wants {"pin","level"} or {"pin","wave","repeat"}';
  const noAnalog = 'Key "analog" wants {"pin","volts"} or {"pin","points","repeat"}';
  const noPin = 'Key "pin" wants a number from 0 to 7';

  test.each([
    ['{', 'The request is not JSON'],
    ['[]', noKey],
    ['null', noKey],
    ['1', noKey],
    ['{}', noKey],
    ['{"toString":1}', noKey],
    ['{"watch":[1],"unwatch":[1]}', noKey],
    ['{"drive":1}', noDrive],
    ['{"drive":{"pin":1,"wave":[[1,100,1]]}}', noDrive],
    ['{"drive":{"pin":1,"wave":["10"]}}', noDrive],
    ['{"drive":{"level":1}}', noPin],
    ['{"drive":{"pin":8,"level":1}}', noPin],
    ['{"drive":{"pin":1.5,"level":1}}', noPin],
    ['{"drive":{"pin":"1","level":1}}', noPin],
    ['{"drive":{"pin":1}}', noDrive],
    ['{"drive":{"pin":1,"level":2}}', noDrive],
    ['{"drive":{"pin":1,"level":1,"more":1}}', noDrive],
    ['{"drive":{"pin":1,"wave":[]}}', noDrive],
    ['{"drive":{"pin":1,"wave":[[1,0]]}}', noDrive],
    ['{"drive":{"pin":1,"wave":[[1]]}}', noDrive],
    ['{"drive":{"pin":1,"wave":[1]}}', noDrive],
    ['{"drive":{"pin":1,"wave":[[1,86400001]]}}', noDrive],
    ['{"drive":{"pin":1,"wave":[[1,1]],"repeat":1}}', noDrive],
    [`{"drive":{"pin":1,"wave":[${'[1,1],'.repeat(1000)}[0,1]]}}`, noDrive],
    ['{"analog":null}', noAnalog],
    ['{"analog":{"pin":-1,"volts":1}}', noPin],
    ['{"analog":{"pin":1,"volts":101}}', noAnalog],
    ['{"analog":{"pin":1,"volts":"1"}}', noAnalog],
    ['{"analog":{"pin":1,"points":[[1,1],[1,2]]}}', noAnalog],
    ['{"analog":{"pin":1,"points":[[-1,1]]}}', noAnalog],
    ['{"watch":1}', 'Key "watch" wants a list of pins, numbers from 0 to 7'],
    ['{"watch":[1,8]}', 'Key "watch" wants a list of pins, numbers from 0 to 7'],
    ['{"unwatch":["1"]}', 'Key "unwatch" wants a list of pins, numbers from 0 to 7'],
  ])('refuses %s', (line, error) => {
    const { send } = rig();
    expect(send(`${line}\n{"watch":[]}\n`)).toEqual([{ error }, { ok: true }]);
  });

  test('skips a line that is too long', () => {
    const { send } = rig();
    expect(send('x'.repeat(maxControlLineBytes + 1))).toEqual([]);
    expect(send('y'.repeat(maxControlLineBytes))).toEqual([]);
    expect(send('\n{"watch":[]}\n')).toEqual([{ error: 'A request has at most 65536 bytes' }, { ok: true }]);
  });

  test('stays up whatever bytes come', () => {
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(`${text}\n`)),
      fc
        .record({
          key: fc.constantFrom('drive', 'analog', 'watch', 'unwatch'),
          value: fc.oneof(
            fc.array(fc.integer({ min: -1, max: 9 }), { maxLength: 4 }),
            fc.record(
              { pin: fc.integer({ min: -1, max: 9 }), level: fc.constantFrom(0, 1, null, 2), volts: fc.double() },
              { requiredKeys: [] },
            ),
          ),
        })
        .map(({ key, value }) => Buffer.from(`${JSON.stringify({ [key]: value })}\n`)),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const { control, send } = rig();
        const bytes = Buffer.concat(parts);
        for (let at = 0; at < bytes.length; at += size) control.receive(bytes.subarray(at, at + size));
        expect(send('\n{"watch":[]}\n').at(-1)).toEqual({ ok: true });
      }),
      { numRuns: 200 },
    );
  });
});
