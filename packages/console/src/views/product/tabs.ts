import { IconCpu, IconDoorEnter, IconInfoCircle, IconPackages, IconSettings } from '@tabler/icons-react';
import { common } from '../../texts/common.ts';
import { t as doors } from '../../texts/doors.ts';
import { t } from '../../texts/product.ts';
import { lazyPart } from '../../ui/lazy-part.ts';
import type { PageSection, TabGroup } from '../../ui/page-tabs.tsx';
import type { TabProps } from './tab-props.ts';

/** The tabs of a product, in order. */
export const productTabs = [
  { key: 'overview', title: t.overview, icon: IconInfoCircle },
  { key: 'releases', title: t.releases, icon: IconPackages },
  { key: 'devices', title: common.devices, icon: IconCpu },
  { key: 'onboarding', title: t.onboarding, icon: IconDoorEnter },
  { key: 'settings', title: t.settings, icon: IconSettings },
] as const satisfies readonly TabGroup[];

export interface ProductSection extends PageSection<TabProps, (typeof productTabs)[number]['key']> {
  /** Shown to these alone, for the service refuses it to others: see `mayChange`, `mayOperate`, `mayReadAssets`. */
  readonly only?: 'changers' | 'operators' | 'insiders';
}

/** The sections of a product by their tabs, in order. Each is loaded when it is first opened. */
export const sections: readonly ProductSection[] = [
  { key: 'overview', group: 'overview', title: t.overview, view: lazyPart(() => import('./overview.tsx')) },
  { key: 'bundles', group: 'releases', title: common.bundles, view: lazyPart(() => import('./bundles.tsx')) },
  {
    key: 'fleet',
    group: 'releases',
    title: common.rollouts,
    only: 'operators',
    view: lazyPart(() => import('./fleet.tsx')),
  },
  {
    key: 'assets',
    group: 'releases',
    title: t.assets,
    only: 'insiders',
    view: lazyPart(() => import('./assets.tsx')),
  },
  { key: 'devices', group: 'devices', title: common.devices, view: lazyPart(() => import('./product-devices.tsx')) },
  {
    key: 'tokens',
    group: 'onboarding',
    title: t.activationTokens,
    only: 'changers',
    view: lazyPart(() => import('./activation-tokens.tsx')),
  },
  {
    key: 'doors',
    group: 'onboarding',
    title: doors.doors,
    only: 'operators',
    view: lazyPart(() => import('./doors.tsx')),
  },
  {
    key: 'waiting',
    group: 'onboarding',
    title: doors.waiting,
    only: 'operators',
    view: lazyPart(() => import('./waiting.tsx')),
  },
  {
    key: 'door-keys',
    group: 'onboarding',
    title: doors.keys,
    only: 'operators',
    view: lazyPart(() => import('./door-keys.tsx')),
  },
  {
    key: 'users',
    group: 'settings',
    title: t.users,
    only: 'operators',
    view: lazyPart(() => import('./people.tsx')),
  },
  {
    key: 'connectors',
    group: 'settings',
    title: t.connectors,
    only: 'changers',
    view: lazyPart(() => import('./connectors.tsx')),
  },
  {
    key: 'alerts',
    group: 'settings',
    title: common.alerts,
    only: 'operators',
    view: lazyPart(() => import('./alert-rules.tsx')),
  },
];
