import {
  IconActivity,
  IconAdjustments,
  IconChartLine,
  IconFiles,
  IconHistory,
  IconInfoCircle,
  IconListDetails,
  IconMail,
  IconTerminal2,
  type TablerIcon,
} from '@tabler/icons-react';
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { TabProps } from './tab-props.ts';

export interface DeviceTab {
  /** Last part of the address. */
  readonly key: string;
  readonly title: string;
  readonly icon: TablerIcon;
  readonly view: LazyExoticComponent<ComponentType<TabProps>>;
}

/** The tabs of a device, in order. Each is loaded when it is first opened. */
export const tabs: readonly DeviceTab[] = [
  { key: 'overview', title: 'Overview', icon: IconInfoCircle, view: lazy(() => import('./overview.tsx')) },
  { key: 'updates', title: 'Updates', icon: IconHistory, view: lazy(() => import('./updates.tsx')) },
  { key: 'streams', title: 'Streams', icon: IconChartLine, view: lazy(() => import('./streams.tsx')) },
  { key: 'controls', title: 'Controls', icon: IconAdjustments, view: lazy(() => import('./controls.tsx')) },
  { key: 'messages', title: 'Messages', icon: IconMail, view: lazy(() => import('./messages.tsx')) },
  { key: 'files', title: 'Files', icon: IconFiles, view: lazy(() => import('./files.tsx')) },
  { key: 'console', title: 'Console', icon: IconTerminal2, view: lazy(() => import('./remote-console.tsx')) },
  { key: 'telemetry', title: 'Telemetry', icon: IconActivity, view: lazy(() => import('./telemetry.tsx')) },
  { key: 'log', title: 'Log', icon: IconListDetails, view: lazy(() => import('./device-log.tsx')) },
];
