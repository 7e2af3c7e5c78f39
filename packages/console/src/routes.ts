import {
  IconBox,
  IconCpu,
  IconDashboard,
  IconListDetails,
  IconRocket,
  IconSettings,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ComponentType, LazyExoticComponent } from 'react';
import { common } from './texts/common.ts';
import { t } from './texts/shell.ts';
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
  /** The key behind `g` that leads here. */
  readonly go?: string;
}

/** Every page of the console: the first that fits an address is shown. Each is loaded when it is first opened. */
export const routes: readonly Route[] = [
  {
    path: '/',
    go: 'h',
    title: t.dashboard,
    icon: IconDashboard,
    view: lazyPart(() => import('./views/dashboard/dashboard.tsx')),
  },
  {
    path: '/devices',
    go: 'd',
    title: common.devices,
    icon: IconCpu,
    view: lazyPart(() => import('./views/devices/devices.tsx')),
  },
  { path: '/devices/labels', title: common.labelSheet, view: lazyPart(() => import('./views/devices/labels.tsx')) },
  { path: '/devices/:id/:tab?', title: common.device, view: lazyPart(() => import('./views/device/device.tsx')) },
  {
    path: '/products',
    go: 'p',
    title: common.products,
    icon: IconBox,
    view: lazyPart(() => import('./views/products/products.tsx')),
  },
  { path: '/products/:id/:tab?', title: common.product, view: lazyPart(() => import('./views/product/product.tsx')) },
  { path: '/bundles/:id', title: common.bundle, view: lazyPart(() => import('./views/product/bundle.tsx')) },
  {
    path: '/rollouts',
    go: 'r',
    title: common.rollouts,
    icon: IconRocket,
    view: lazyPart(() => import('./views/rollouts/rollouts.tsx')),
  },
  { path: '/rollouts/new', title: common.newRollout, view: lazyPart(() => import('./views/rollouts/new-rollout.tsx')) },
  { path: '/rollouts/:id', title: t.rollout, view: lazyPart(() => import('./views/rollouts/rollout.tsx')) },
  {
    path: '/platforms',
    go: 'f',
    title: t.platforms,
    view: lazyPart(() => import('./views/platforms/platforms.tsx')),
  },
  { path: '/platforms/:id', title: common.platform, view: lazyPart(() => import('./views/platforms/platform.tsx')) },
  {
    path: '/alerts',
    go: 'a',
    title: common.alerts,
    view: lazyPart(() => import('./views/alerts/alerts.tsx')),
  },
  {
    path: '/logs',
    go: 'l',
    title: t.activity,
    icon: IconListDetails,
    view: lazyPart(() => import('./views/logs/logs.tsx')),
  },
  { path: '/logs/:id', title: t.log, view: lazyPart(() => import('./views/logs/log.tsx')) },
  {
    path: '/account/:tab?',
    go: 'c',
    title: t.account,
    view: lazyPart(() => import('./views/account/account.tsx')),
  },
  {
    path: '/administration/accounts',
    title: t.accounts,
    adminOnly: true,
    view: lazyPart(() => import('./views/administration/accounts.tsx')),
  },
  {
    path: '/administration/audit',
    title: t.audit,
    adminOnly: true,
    view: lazyPart(() => import('./views/administration/audit.tsx')),
  },
  {
    path: '/administration',
    go: 'm',
    title: t.administration,
    icon: IconSettings,
    adminOnly: true,
    view: lazyPart(() => import('./views/administration/administration.tsx')),
  },
];
