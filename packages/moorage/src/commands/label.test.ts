import { expect, test } from 'vitest';
import { readLabels } from './label.ts';

test('labels are set with =, whatever is in the value, and removed with -', () => {
  expect(readLabels(['region=eu', 'site=a=b', 'note=', 'old-'])).toEqual({
    ok: true,
    value: { region: 'eu', site: 'a=b', note: '', old: null },
  });
});

test.each(['region', '=eu', '-', ''])('%j is no label, and is quoted', (text) => {
  expect(readLabels([text])).toMatchObject({ ok: false, error: expect.stringContaining(`"${text}"`) });
});
