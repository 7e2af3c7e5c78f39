import Type from 'typebox';
import { binary, endpoints } from '../endpoint.ts';
import { Id } from '../fields.ts';

/** Largest avatar, in bytes. Spec: API-LIMIT-avatar. */
export const avatarLimitBytes = 1024 * 1024;

const SetAvatar = Type.Object({ result: Type.Literal('ok'), avatar_id: Id });
const images = 'A PNG, JPEG, GIF or WebP image of up to 1 MiB: raw bytes, or a form with one part named "file".';
const current =
  'Without an id the current one, or a placeholder made from the name. An avatar that was replaced is gone.';

const shared = { tag: 'User', limited: 'open', access: 'user.self' } as const;

/** Pictures of users and platforms. Reference: api 3.4. */
export const avatarsContract = endpoints(shared, {
  user: {
    route: 'GET /api/users/{user_id}/avatar/{avatar_id?}',
    summary: 'Avatar of a user',
    description: current,
    reply: binary('image/*'),
    errors: [400, 401, 404, 416],
  },
  setUser: {
    route: 'POST /api/users/{user_id}/avatar',
    scope: 'all',
    limited: 'closed',
    audit: { what: 'user', id: 'params.user_id' },
    spec: ['API-LIMIT-avatar'],
    summary: 'Set your own avatar',
    description: images,
    body: binary(),
    reply: SetAvatar,
    errors: [400, 401, 403, 404, 412, 413, 415],
  },
  platform: {
    route: 'GET /api/platforms/{platform_id}/avatar/{avatar_id?}',
    access: 'platform.read',
    tag: 'Platforms',
    summary: 'Picture of a platform',
    description: current,
    reply: binary('image/*'),
    errors: [400, 401, 404, 416],
  },
  setPlatform: {
    route: 'POST /api/platforms/{platform_id}/avatar',
    scope: 'administer',
    limited: 'closed',
    access: 'platform.write',
    audit: { what: 'platform', id: 'params.platform_id' },
    spec: ['API-LIMIT-avatar'],
    tag: 'Platforms',
    summary: 'Set the picture of a platform (administrators)',
    description: images,
    body: binary(),
    reply: SetAvatar,
    errors: [400, 401, 403, 404, 412, 413, 415],
  },
});
