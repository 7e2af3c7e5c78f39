import { describe, expect, test } from 'vitest';
import { defaultModel, parseModel } from './model.ts';

const files = (...given: readonly object[]): string =>
  JSON.stringify({
    files: given.map((file) => ({
      ...{ name: 'a', area: 'e', type: 253, flags: 1, version: '1.0.1200', content: 'dmVy' },
      ...file,
    })),
  });

describe('model file', () => {
  test('what it leaves out is as in the default model', () => {
    expect(parseModel('{}')).toEqual({ ok: true, value: defaultModel });
    expect(parseModel('{"name":"small","gpioCount":29,"boardPins":{"13":"UART1 RX"}}')).toEqual({
      ok: true,
      value: { ...defaultModel, name: 'small', boardPins: { 13: 'UART1 RX' } },
    });
  });

  test('has files with versions as large as the flash keeps them', () => {
    expect(parseModel(files({ version: '31.63.8191.255' })).ok).toBe(true);
  });

  test('the default model passes its own check', () => {
    expect(parseModel(JSON.stringify(defaultModel))).toEqual({ ok: true, value: defaultModel });
  });

  test.each([
    ['{', /is not JSON/],
    ['[]', /must hold a JSON object/],
    ['null', /must hold a JSON object/],
    ['{"bogus":1}', /^Key "bogus" is unknown$/],
    ['{"limits":{"streams":1,"history":5,"faults":8,"more":1}}', /^Key "limits.more" is unknown$/],
    ['{"gpioCount":100}', /^Key "gpioCount" is 100 and must be <= 99$/],
    ['{"gpioCount":8}', /^Key "adc.pins" names pin 8, and the board has 8 pins$/],
    ['{"boardPins":{"29":"x"}}', /^Key "boardPins" names pin 29, and/],
    ['{"boardPins":{"x":"UART1 RX"}}', /^Key "boardPins.x" is unknown$/],
    ['{"boardPins":{"07":"UART1 RX"}}', /^Key "boardPins.07" is unknown$/],
    ['{"partId":"xyz"}', /^Key "partId" is "xyz" and must/],
    ['{"flash":{"areaBytes":{"i":-1,"e":0,"b":0},"maxFilesPerArea":1}}', /^Key "flash.areaBytes.i" is -1 and must/],
    [
      '{"flash":{"areaBytes":{"i":4096,"e":1048576,"b":0},"maxFilesPerArea":9}}',
      /^Key "files" has 8192 bytes in area "i"/,
    ],
    [
      '{"flash":{"areaBytes":{"i":8192,"e":1048576,"b":0},"maxFilesPerArea":1}}',
      /^Key "files" has 2 files in area "i"/,
    ],
    ['{"limits":{"streams":0,"history":5,"faults":8}}', /^Key "limits.streams" is 0 and must/],
    ['{"files":[{"name":"a"}]}', /^Key "files.0.area" is missing$/],
    [files({ version: '32.0.0' }), /^Key "files.0.version" is "32.0.0", not a version up to 31.63.8191.255$/],
    [files({ content: 'abcde' }), /^Key "files.0.content" is not base64$/],
    [files({}, {}), /^Key "files.1.name" is "a" once more$/],
    [files({ area: 'b' }), /^Key "files" has 4096 bytes in area "b", which has 0$/],
  ])('%s is refused with a clear error', (json, message) => {
    const parsed = parseModel(json);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.error).toMatch(message);
  });
});
