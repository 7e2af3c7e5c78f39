import { expect, test } from 'vitest';
import { deviceQuery } from './device-filter.ts';

test.each([
  [
    { q: 'light', tag: '' },
    { q: 'light', tag: '' },
  ],
  [{ version: '1.2.0.0' }, { filter: 'version==1.2.0.0' }],
  [{ version: '1.*' }, { filter: 'version==1.*' }],
  [{ label: 'region=eu' }, { filter: 'label.region==eu' }],
  [{ label: 'region' }, { filter: 'label.region==*' }],
  [{ label: 'note=a "quote" and \\' }, { filter: `label.note=='a "quote" and \\\\'` }],
  [
    { seen: 'day', q: 'x' },
    { q: 'x', filter: 'last_seen=ge=-1d' },
  ],
  [{ seen: 'nonsense' }, {}],
  [
    { filter: 'state==active,online==*', seen: 'never', version: '', label: 'a=b' },
    { filter: 'label.a==b;last_seen!=*;(state==active,online==*)' },
  ],
])('the filters %j are the query %j', (filters, query) => {
  expect(deviceQuery(filters)).toEqual(query);
});
