import type { UpdateProgress } from '@moorage/api';
import { describe, expect, it } from 'vitest';
import { courseOf } from './update-course.ts';

const update: NonNullable<UpdateProgress['update']> = {
  id: 1,
  device_id: 'd',
  product_id: 'p',
  cause: 'device',
  from_bundle_id: null,
  from_bversion: null,
  bundle_id: 'b',
  bundle: '1.2.3',
  bversion: 'x',
  state: 'offered',
  result: null,
  reason: null,
  created_at: '20',
  downloading_at: null,
  installed_at: null,
  finished_at: null,
};
const asked: UpdateProgress = { online: true, asked_at: '10', looked_at: '20', update };
const states = (progress: UpdateProgress, percent?: number) =>
  courseOf(progress, percent).map(({ label, state }) => `${label}: ${state}`);

describe('the course of an update that was asked for', () => {
  it.each([
    ['never asked', { ...asked, asked_at: null }, []],
    ['not looked yet', { ...asked, looked_at: null, update: null }, ['Asked: done', 'Looks for an update: now']],
    ['nothing to fetch', { ...asked, update: null }, ['Asked: done', 'Looked: done']],
    [
      'an update that was over before',
      { ...asked, update: { ...update, state: 'done' as const, finished_at: '5' } },
      ['Asked: done', 'Looked: done'],
    ],
    [
      'restarting',
      { ...asked, update: { ...update, state: 'installed' as const, downloading_at: '30', installed_at: '40' } },
      ['Asked: done', 'Looked: done', 'Downloads: done', 'Restarts: now', 'Came back: next'],
    ],
    [
      'back',
      { ...asked, update: { ...update, state: 'done' as const, installed_at: '40', finished_at: '50' } },
      ['Asked: done', 'Looked: done', 'Downloads: done', 'Restarts: done', 'Came back: done'],
    ],
    [
      'failed on the way',
      {
        ...asked,
        update: { ...update, state: 'failed' as const, downloading_at: '30', finished_at: '50', reason: 'x' },
      },
      ['Asked: done', 'Looked: done', 'Downloads: done', 'Restarts: next', 'Failed: failed'],
    ],
  ])('%s', (_, progress, wanted) => {
    expect(states(progress)).toEqual(wanted);
  });

  it('shows the percent of a download, and where a device that is away will look', () => {
    const downloading = { ...asked, update: { ...update, state: 'downloading' as const, downloading_at: '30' } };
    const steps = courseOf(downloading, 42);
    expect(steps[2]).toMatchObject({ label: 'Downloads', state: 'now', detail: '42 %' });
    expect(courseOf({ ...asked, online: false, looked_at: null }, undefined)[0]?.detail).toMatch(/next query/);
  });
});
