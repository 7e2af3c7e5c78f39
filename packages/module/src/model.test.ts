import { describe, expect, test } from 'vitest';
import { defaultModel, parseModel } from './model.ts';

describe('model file', () => {
  test('what it leaves out is as in the default model', () => {
    expect(parseModel('{}')).toEqual({ ok: true, value: defaultModel });
    expect(parseModel('{"name":"small","gpioCount":29,"boardPins":{"13":"UART1 RX"}}')).toEqual({
      ok: true,
      value: { ...defaultModel, name: 'small', boardPins: { 13: 'UART1 RX' } },
    });
  });

  test('the default model passes its own check', () => {
    expect(parseModel(JSON.stringify(defaultModel))).toEqual({ ok: true, value: defaultModel });
  });

  test.each([
    ['{', /is not JSON/],
    ['[]', /must hold a JSON object/],
    ['null', /must hold a JSON object/],
    ['{"bogus":1}', /wrong at "\//],
    ['{"gpioCount":100}', /"\/gpioCount"/],
    ['{"gpioCount":8}', /has no pin/],
    ['{"boardPins":{"29":"x"}}', /has no pin 29/],
    ['{"partId":"xyz"}', /"\/partId"/],
    ['{"flash":{"areaBytes":{"i":-1,"e":0,"b":0},"maxFilesPerArea":1}}', /"\/flash\/areaBytes\/i"/],
    ['{"limits":{"streams":0,"history":5,"faults":8}}', /"\/limits\/streams"/],
    ['{"files":[{"name":"a"}]}', /"\/files\/0/],
  ])('%s is refused with a clear error', (json, message) => {
    const parsed = parseModel(json);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.error).toMatch(message);
  });
});
