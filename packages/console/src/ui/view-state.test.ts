import { expect, it } from 'vitest';
import { readView, writeView } from './view-state.ts';

it('a saved view is read as it was written', () => {
  const view = { search: 'q=a%26b&sort=-title', columns: { mac: true, tag: false } };
  expect(readView(writeView(view))).toEqual(view);
});

it.each(['', 'null', '[]', '{"search":1,"columns":{"a":"b"}}', '{"columns":null}'])(
  'what is no view shows the list as it begins: %s',
  (text) => {
    expect(readView(text)).toEqual({ search: '', columns: {} });
  },
);
