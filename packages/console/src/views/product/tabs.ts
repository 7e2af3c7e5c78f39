import {
  IconCpu,
  IconFiles,
  IconInfoCircle,
  IconKey,
  IconPackages,
  IconPlugConnected,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ComponentType, LazyExoticComponent } from 'react';
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
  { key: 'overview', title: 'Overview', icon: IconInfoCircle, view: lazyPart(() => import('./overview.tsx')) },
  { key: 'bundles', title: 'Bundles', icon: IconPackages, view: lazyPart(() => import('./bundles.tsx')) },
  { key: 'devices', title: 'Devices', icon: IconCpu, view: lazyPart(() => import('./product-devices.tsx')) },
  { key: 'assets', title: 'Assets', icon: IconFiles, insidersOnly: true, view: lazyPart(() => import('./assets.tsx')) },
  {
    key: 'connectors',
    title: 'Connectors',
    icon: IconPlugConnected,
    changersOnly: true,
    view: lazyPart(() => import('./connectors.tsx')),
  },
  { key: 'users', title: 'Users', icon: IconUsers, changersOnly: true, view: lazyPart(() => import('./people.tsx')) },
  {
    key: 'tokens',
    title: 'Activation tokens',
    icon: IconKey,
    changersOnly: true,
    view: lazyPart(() => import('./activation-tokens.tsx')),
  },
];
