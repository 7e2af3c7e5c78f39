import { describe, expect, test } from 'vitest';
import { fullCode, isCode, suggestCode } from './product-code.ts';

describe('the code of a product', () => {
  test.each([
    ['Tide gauge', 'TIDE_GAUGE'],
    ['  Ähren-Zähler 2.0 ', 'AHREN-ZAHLER_2.0'],
    ['日本', ''],
    ['x'.repeat(80), 'X'.repeat(64)],
  ])('is suggested for the title "%s": "%s"', (title, code) => {
    expect(suggestCode(title)).toBe(code);
    expect(isCode(code)).toBe(code !== '');
  });

  test.each([
    ['maker', 'BERTH1', 'gauge', 'MAKER-BERTH1_GAUGE'],
    ['maker', 'BERTH1', 'BERTH1_GAUGE', 'MAKER-BERTH1_GAUGE'],
    ['a b', 'berth1', 'x', 'A_B-BERTH1_X'],
  ])('of %s for %s and "%s" becomes %s', (owner, platform, code, full) => {
    expect(fullCode(owner, platform, code)).toBe(full);
  });
});
