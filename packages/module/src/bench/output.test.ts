import { expect, test } from 'vitest';
import { Output } from './output.ts';

const session = 'get wlan.ssid\r\nharbour\r\n> [Associated]\r\n> caf\u00e9\r\n';

test('output is the same whatever pieces it comes in, a byte at a time too', () => {
  const bytes = Buffer.from(session);
  for (const size of [1, 2, 3, bytes.length]) {
    let printed = '';
    const output = new Output((text) => {
      printed += text;
    });
    output.sent('get wlan.ssid');
    for (let at = 0; at < bytes.length; at += size) output.received(bytes.subarray(at, at + size));
    expect(printed).toBe(session.replaceAll('\r\n', '\n'));
    expect(output.take(/^(.|\n)*$/)?.[0]).toBe('harbour\n[Associated]\ncaf\u00e9\n');
  }
});

test('a text is no expression, and a match takes what is before it', () => {
  const output = new Output(() => {});
  output.received(Buffer.from('a.c abc a.c'));
  expect(output.take('a.c')?.index).toBe(0);
  expect(output.take(/abc/g)?.[0]).toBe('abc');
  expect(output.shown).toBe('what came ends in "a.c"');
  expect(output.take('abc')).toBeUndefined();
});
