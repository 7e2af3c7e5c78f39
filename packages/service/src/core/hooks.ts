import { refusal } from '@moorage/api';
import { failure } from '@moorage/base';
import type { Interceptor } from '../engine/http/types.ts';
import type { AuthHooks } from './auth/hooks.ts';
import type { BundleHooks } from './bundles/hooks.ts';
import { type ChannelHooks, usualWakesPerMinute } from './channel/hooks.ts';
import type { DeviceHooks } from './devices/hooks.ts';
import { noUpdateHooks, type UpdateHooks } from './ota/hooks.ts';
import type { ProductHooks } from './products/hooks.ts';
import type { UserHooks } from './users/hooks.ts';

/**
 * What the core asks extensions: the one table, each part beside the slice that asks. A hook says when it is called,
 * whether inside or behind the transaction, and what it may answer.
 */
export interface Hooks extends AuthHooks, BundleHooks, ChannelHooks, DeviceHooks, ProductHooks, UpdateHooks, UserHooks {
  /** Goes around the handlers of what people and tokens call, where it is there. */
  readonly intercept?: Interceptor | undefined;
}

/** What the core goes by where no extension answers. */
export const noHooks: Hooks = {
  ...noUpdateHooks,
  // An account whose second factor is not asked for here is not opened by its password alone.
  refuseLogin: async (_deps, { second_factor }) =>
    second_factor === 0 ? undefined : refusal('SECOND_FACTOR_REQUIRED'),
  accountMade: async () => {},
  passwordChanged: async () => {},
  sessionEnds: async () => ({}),
  waysIn: () => ({ mail: false, second_factor: 'optional', sso: null, passkeys: null }),
  tagMoved: async () => {},
  bundleLeaves: async () => undefined,
  wakesPerMinute: async () => usualWakesPerMinute,
  listFilter: () =>
    failure(
      refusal(
        'INVALID_REQUEST',
        { detail: 'This service lists devices without conditions' },
        { source: 'query', keys: ['filter'] },
      ),
    ),
  devicesCleared: async () => {},
  deviceLeaves: async () => {},
  devicesChanged: async () => {},
  devicesFollow: async () => {},
  attributesReported: async () => {},
  versionsReported: async () => {},
  productGone: async () => {},
};

/**
 * What these extensions answer together.
 *
 * @throws {Error} when two of them answer the same hook
 */
export function answeredBy(extensions: readonly { readonly name: string; readonly hooks?: Partial<Hooks> }[]): Hooks {
  const by = new Map<string, string>();
  for (const { name, hooks = {} } of extensions) {
    for (const hook of Object.keys(hooks)) {
      const other = by.get(hook);
      if (other !== undefined) throw new Error(`The hook ${hook} is answered by ${other} and by ${name}`);
      by.set(hook, name);
    }
  }
  return Object.assign({}, noHooks, ...extensions.map(({ hooks }) => hooks));
}
