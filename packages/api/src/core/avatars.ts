import Type from 'typebox';
import { binary, endpoints } from '../endpoint.ts';
import { Id } from '../fields.ts';

/** Largest avatar, in bytes. Spec: API-LIMIT-avatar. */
export const avatarLimitBytes = 1024 * 1024;

const SetAvatar = Type.Object({ result: Type.Literal('ok'), avatar_id: Id });
const id = { avatar_id: Type.Optional(Id) };
const images = 'A PNG, JPEG, GIF or WebP image of up to 1 MiB: raw bytes, or a form with one part named "file".';
const current =
  'Without an id the current one, or a placeholder made from the name. An avatar that was replaced is gone.';

const shared = { tag: 'User', auth: 'bearer', limited: 'open', access: 'user.self' } as const;

/** Pictures of users and platforms. Reference: api 3.4. */
export const avatarsContract = endpoints(shared, {
  user: {
    method: 'GET',
    path: '/api/users/{user_id}/avatar/{avatar_id?}',
    spec: ['API-EP-GET-users-user_id-avatar-avatar_id'],
    summary: 'Avatar of a user',
    description: current,
    params: Type.Object({ user_id: Id, ...id }),
    reply: binary('image/*'),
    errors: [400, 401, 404, 416],
  },
  setUser: {
    method: 'POST',
    path: '/api/users/{user_id}/avatar',
    scope: 'all',
    limited: 'closed',
    audit: { what: 'user', id: 'params.user_id' },
    spec: ['API-EP-POST-users-user_id-avatar', 'API-LIMIT-avatar'],
    summary: 'Set your own avatar',
    description: images,
    params: Type.Object({ user_id: Id }),
    body: binary(),
    reply: SetAvatar,
    errors: [400, 401, 403, 404, 412, 413, 415],
  },
  platform: {
    method: 'GET',
    path: '/api/platforms/{platform_id}/avatar/{avatar_id?}',
    access: 'platform.read',
    spec: ['API-EP-GET-platforms-platform_id-avatar-avatar_id'],
    tag: 'Platforms',
    summary: 'Picture of a platform',
    description: current,
    params: Type.Object({ platform_id: Id, ...id }),
    reply: binary('image/*'),
    errors: [400, 401, 404, 416],
  },
  setPlatform: {
    method: 'POST',
    path: '/api/platforms/{platform_id}/avatar',
    scope: 'administer',
    limited: 'closed',
    access: 'platform.write',
    audit: { what: 'platform', id: 'params.platform_id' },
    spec: ['API-EP-POST-platforms-platform_id-avatar', 'API-LIMIT-avatar'],
    tag: 'Platforms',
    summary: 'Set the picture of a platform (administrators)',
    description: images,
    params: Type.Object({ platform_id: Id }),
    body: binary(),
    reply: SetAvatar,
    errors: [400, 401, 403, 404, 412, 413, 415],
  },
});
