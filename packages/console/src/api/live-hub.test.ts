import { followedDevicesLimit } from '@moorage/api';
import { expect, it } from 'vitest';
import { followedLimit } from './live-hub.ts';

it('the hub follows as many devices as the service lets a stream follow', () => {
  expect(followedLimit).toBe(followedDevicesLimit);
});
