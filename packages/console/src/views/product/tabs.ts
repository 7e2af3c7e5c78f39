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
  /** Shown only to those who may change the product: the service refuses it to others. */
  readonly changersOnly?: boolean;
  /** Shown only to the people of the product, and to owners of devices on it. */
  readonly insidersOnly?: boolean;
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
    changersOnly: true,
    view: lazyPart(() => import('./fleet.tsx')),
  },
  { key: 'assets', title: t.assets, icon: IconFiles, insidersOnly: true, view: lazyPart(() => import('./assets.tsx')) },
  {
    key: 'connectors',
    title: t.connectors,
    icon: IconPlugConnected,
    changersOnly: true,
    view: lazyPart(() => import('./connectors.tsx')),
  },
  {
    key: 'alerts',
    title: common.alerts,
    icon: IconBell,
    changersOnly: true,
    view: lazyPart(() => import('./alert-rules.tsx')),
  },
  { key: 'doors', title: doors.doors, icon: IconDoor, changersOnly: true, view: lazyPart(() => import('./doors.tsx')) },
  {
    key: 'waiting',
    title: doors.waiting,
    icon: IconDoorEnter,
    changersOnly: true,
    view: lazyPart(() => import('./waiting.tsx')),
  },
  {
    key: 'door-keys',
    title: doors.keys,
    icon: IconFingerprint,
    changersOnly: true,
    view: lazyPart(() => import('./door-keys.tsx')),
  },
  { key: 'users', title: t.users, icon: IconUsers, changersOnly: true, view: lazyPart(() => import('./people.tsx')) },
  {
    key: 'tokens',
    title: t.activationTokens,
    icon: IconKey,
    changersOnly: true,
    view: lazyPart(() => import('./activation-tokens.tsx')),
  },
];
