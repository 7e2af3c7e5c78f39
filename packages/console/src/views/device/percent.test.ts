import { beforeEach, describe, expect, it } from 'vitest';
import { queryClient } from '../../api/queries.ts';
import { keepPercent } from './percent.ts';

const known = (): unknown => queryClient.getQueryData(['percent', 'd1']);

describe('the percent of a download', () => {
  beforeEach(() => queryClient.clear());

  it('is kept as the device is sent more, and each device has its own', () => {
    keepPercent('d1', 'progress', { update: 7, percent: 10 });
    keepPercent('d1', 'progress', { update: 7, percent: 42 });
    keepPercent('d2', 'progress', { update: 8, percent: 99 });
    expect(known()).toEqual({ update: 7, percent: 42 });
  });

  it('stays when the device was asked for something, and goes with the next step of the update', () => {
    keepPercent('d1', 'progress', { update: 7, percent: 42 });
    keepPercent('d1', 'progress', { update: null, percent: null });
    expect(known()).toEqual({ update: 7, percent: 42 });
    keepPercent('d1', 'update', { state: 'downloading' });
    expect(known()).toEqual({ update: 7, percent: 42 });
    keepPercent('d1', 'update', { state: 'installed' });
    expect(known()).toBeUndefined();
  });
});
