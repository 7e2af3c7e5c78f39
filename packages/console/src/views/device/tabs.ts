import type { DeviceRecord } from '@moorage/api';
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
import type { ComponentType, LazyExoticComponent } from 'react';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { lazyPart } from '../../ui/lazy-part.ts';
import type { TabProps } from './tab-props.ts';

export interface DeviceTab {
  /** Last part of the address. */
  readonly key: string;
  readonly title: string;
  readonly icon: TablerIcon;
  readonly view: LazyExoticComponent<ComponentType<TabProps>>;
  /** Shown only to those who may; the service refuses it to others. */
  readonly offeredTo?: (device: DeviceRecord) => boolean;
}

/** Testers see what a device does, and nothing private of it. */
const seesPrivate = ({ role }: DeviceRecord): boolean => role !== 'tester';

const mayUseFiles = ({ role, user_id, vendor_files }: DeviceRecord): boolean =>
  role === 'owner' || role === 'none' || (role === 'vendor' && (user_id === null || vendor_files));

/** The tabs of a device, in order. Each is loaded when it is first opened. */
export const tabs: readonly DeviceTab[] = [
  { key: 'overview', title: t.overview, icon: IconInfoCircle, view: lazyPart(() => import('./overview.tsx')) },
  { key: 'updates', title: t.updates, icon: IconHistory, view: lazyPart(() => import('./updates.tsx')) },
  { key: 'streams', title: t.streams, icon: IconChartLine, view: lazyPart(() => import('./streams.tsx')) },
  { key: 'controls', title: t.controls, icon: IconAdjustments, view: lazyPart(() => import('./controls.tsx')) },
  {
    key: 'messages',
    title: t.messages,
    icon: IconMail,
    offeredTo: seesPrivate,
    view: lazyPart(() => import('./messages.tsx')),
  },
  {
    key: 'files',
    title: common.files,
    icon: IconFiles,
    offeredTo: mayUseFiles,
    view: lazyPart(() => import('./files.tsx')),
  },
  { key: 'console', title: t.console, icon: IconTerminal2, view: lazyPart(() => import('./remote-console.tsx')) },
  {
    key: 'telemetry',
    title: t.telemetry,
    icon: IconActivity,
    offeredTo: seesPrivate,
    view: lazyPart(() => import('./telemetry.tsx')),
  },
  { key: 'log', title: t.log, icon: IconListDetails, view: lazyPart(() => import('./device-log.tsx')) },
];
