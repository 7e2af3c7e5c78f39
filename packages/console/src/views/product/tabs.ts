import {
  IconBell,
  IconCpu,
  IconDoor,
  IconDoorEnter,
  IconFiles,
  IconFingerprint,
  IconInfoCircle,
  IconKey,
  IconPackages,
  IconPlugConnected,
  IconRocket,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ComponentType, LazyExoticComponent } from 'react';
import { common } from '../../texts/common.ts';
import { t as doors } from '../../texts/doors.ts';
import { t } from '../../texts/product.ts';
import { lazyPart } from '../../ui/lazy-part.ts';
import type { TabProps } from './tab-props.ts';

export interface ProductTab {
  /** Last part of the address. */
  readonly key: string;
  readonly title: string;
  readonly icon: TablerIcon;
  readonly view: LazyExoticComponent<ComponentType<TabProps>>;
  /** Shown to these alone, for the service refuses it to others: see `mayChange`, `mayOperate`, `mayReadAssets`. */
  readonly only?: 'changers' | 'operators' | 'insiders';
}

/** The tabs of a product, in order. Each is loaded when it is first opened. */
export const tabs: readonly ProductTab[] = [
  { key: 'overview', title: t.overview, icon: IconInfoCircle, view: lazyPart(() => import('./overview.tsx')) },
  { key: 'bundles', title: common.bundles, icon: IconPackages, view: lazyPart(() => import('./bundles.tsx')) },
  { key: 'devices', title: common.devices, icon: IconCpu, view: lazyPart(() => import('./product-devices.tsx')) },
  {
    key: 'fleet',
    title: common.rollouts,
    icon: IconRocket,
    only: 'operators',
    view: lazyPart(() => import('./fleet.tsx')),
  },
  { key: 'assets', title: t.assets, icon: IconFiles, only: 'insiders', view: lazyPart(() => import('./assets.tsx')) },
  {
    key: 'connectors',
    title: t.connectors,
    icon: IconPlugConnected,
    only: 'changers',
    view: lazyPart(() => import('./connectors.tsx')),
  },
  {
    key: 'alerts',
    title: common.alerts,
    icon: IconBell,
    only: 'operators',
    view: lazyPart(() => import('./alert-rules.tsx')),
  },
  { key: 'doors', title: doors.doors, icon: IconDoor, only: 'operators', view: lazyPart(() => import('./doors.tsx')) },
  {
    key: 'waiting',
    title: doors.waiting,
    icon: IconDoorEnter,
    only: 'operators',
    view: lazyPart(() => import('./waiting.tsx')),
  },
  {
    key: 'door-keys',
    title: doors.keys,
    icon: IconFingerprint,
    only: 'operators',
    view: lazyPart(() => import('./door-keys.tsx')),
  },
  { key: 'users', title: t.users, icon: IconUsers, only: 'operators', view: lazyPart(() => import('./people.tsx')) },
  {
    key: 'tokens',
    title: t.activationTokens,
    icon: IconKey,
    only: 'changers',
    view: lazyPart(() => import('./activation-tokens.tsx')),
  },
];
