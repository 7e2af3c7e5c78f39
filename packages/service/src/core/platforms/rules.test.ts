import { expect, it } from 'vitest';
import { editionCodes } from '../products/rules.ts';

it.each([
  ['Acme Inc', 'W', { code: 'W', product: 'ACME_INC-BRT106_W' }],
  [null, 'wz', { code: 'WZ', product: 'ADMIN-BRT106_WZ' }],
  ['', 'W', { code: 'W', product: 'ADMIN-BRT106_W' }],
])('edition product of maker %s and edition %s has codes', (manufacturer, flavor, codes) => {
  expect(editionCodes({ code: 'BRT106', manufacturer }, flavor, 'admin')).toEqual(codes);
});
