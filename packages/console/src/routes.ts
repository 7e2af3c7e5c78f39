import {
  IconBox,
  IconCpu,
  IconDashboard,
  IconListDetails,
  IconSettings,
  IconStack2,
  IconUser,
  type TablerIcon,
} from '@tabler/icons-react';
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { ViewProps } from './views/view-props.ts';

type View = LazyExoticComponent<ComponentType<ViewProps>>;

export interface Route {
  /** `:name` is a blank, `?` behind it makes it optional. */
  readonly path: string;
  readonly title: string;
  readonly view: View;
  /** Stands in the navigation. */
  readonly icon?: TablerIcon;
  readonly adminOnly?: boolean;
}

/** Every page of the console: the first that fits an address is shown. Each is loaded when it is first opened. */
export const routes: readonly Route[] = [
  { path: '/', title: 'Dashboard', icon: IconDashboard, view: lazy(() => import('./views/dashboard/dashboard.tsx')) },
  { path: '/devices', title: 'Devices', icon: IconCpu, view: lazy(() => import('./views/devices/devices.tsx')) },
  { path: '/devices/:id/:tab?', title: 'Device', view: lazy(() => import('./views/device/device.tsx')) },
  { path: '/products', title: 'Products', icon: IconBox, view: lazy(() => import('./views/products/products.tsx')) },
  { path: '/products/:id/:tab?', title: 'Product', view: lazy(() => import('./views/product/product.tsx')) },
  { path: '/bundles/:id', title: 'Bundle', view: lazy(() => import('./views/product/bundle.tsx')) },
  {
    path: '/platforms',
    title: 'Platforms',
    icon: IconStack2,
    view: lazy(() => import('./views/platforms/platforms.tsx')),
  },
  { path: '/platforms/:id', title: 'Platform', view: lazy(() => import('./views/platforms/platform.tsx')) },
  { path: '/logs', title: 'Logs', icon: IconListDetails, view: lazy(() => import('./views/logs/logs.tsx')) },
  { path: '/logs/:id', title: 'Log', view: lazy(() => import('./views/logs/log.tsx')) },
  { path: '/account/:tab?', title: 'Account', icon: IconUser, view: lazy(() => import('./views/account/account.tsx')) },
  {
    path: '/administration',
    title: 'Administration',
    icon: IconSettings,
    adminOnly: true,
    view: lazy(() => import('./views/administration/administration.tsx')),
  },
];
