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
import type { ComponentType, LazyExoticComponent } from 'react';
import { lazyPart } from './ui/lazy-part.ts';
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
  {
    path: '/',
    title: 'Dashboard',
    icon: IconDashboard,
    view: lazyPart(() => import('./views/dashboard/dashboard.tsx')),
  },
  { path: '/devices', title: 'Devices', icon: IconCpu, view: lazyPart(() => import('./views/devices/devices.tsx')) },
  { path: '/devices/:id/:tab?', title: 'Device', view: lazyPart(() => import('./views/device/device.tsx')) },
  {
    path: '/products',
    title: 'Products',
    icon: IconBox,
    view: lazyPart(() => import('./views/products/products.tsx')),
  },
  { path: '/products/:id/:tab?', title: 'Product', view: lazyPart(() => import('./views/product/product.tsx')) },
  { path: '/bundles/:id', title: 'Bundle', view: lazyPart(() => import('./views/product/bundle.tsx')) },
  {
    path: '/platforms',
    title: 'Platforms',
    icon: IconStack2,
    view: lazyPart(() => import('./views/platforms/platforms.tsx')),
  },
  { path: '/platforms/:id', title: 'Platform', view: lazyPart(() => import('./views/platforms/platform.tsx')) },
  { path: '/logs', title: 'Logs', icon: IconListDetails, view: lazyPart(() => import('./views/logs/logs.tsx')) },
  { path: '/logs/:id', title: 'Log', view: lazyPart(() => import('./views/logs/log.tsx')) },
  {
    path: '/account/:tab?',
    title: 'Account',
    icon: IconUser,
    view: lazyPart(() => import('./views/account/account.tsx')),
  },
  {
    path: '/administration',
    title: 'Administration',
    icon: IconSettings,
    adminOnly: true,
    view: lazyPart(() => import('./views/administration/administration.tsx')),
  },
];
