import type { DeviceRecord } from '@moorage/api';
import { IconChartLine, IconFiles, IconHistory, IconInfoCircle, IconTerminal2 } from '@tabler/icons-react';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { lazyPart } from '../../ui/lazy-part.ts';
import type { PageSection, TabGroup } from '../../ui/page-tabs.tsx';
import type { TabProps } from './tab-props.ts';

/** The tabs of a device, in order. */
export const deviceTabs = [
  { key: 'overview', title: t.overview, icon: IconInfoCircle },
  { key: 'data', title: t.data, icon: IconChartLine },
  { key: 'console', title: t.console, icon: IconTerminal2 },
  { key: 'exchange', title: t.filesAndMessages, icon: IconFiles },
  { key: 'history', title: t.history, icon: IconHistory },
] as const satisfies readonly TabGroup[];

export interface DeviceSection extends PageSection<TabProps, (typeof deviceTabs)[number]['key']> {
  /** Shown only to those who may; the service refuses it to others. */
  readonly offeredTo?: (device: DeviceRecord) => boolean;
}

/** Testers see what a device does, and nothing private of it. */
const seesPrivate = ({ role }: DeviceRecord): boolean => role !== 'tester';

const mayUseFiles = ({ role, user_id, vendor_files }: DeviceRecord): boolean =>
  role === 'owner' || role === 'none' || (role === 'vendor' && (user_id === null || vendor_files));

/** The sections of a device by their tabs, in order. Each is loaded when it is first opened. */
export const sections: readonly DeviceSection[] = [
  { key: 'overview', group: 'overview', title: t.overview, view: lazyPart(() => import('./overview.tsx')) },
  { key: 'streams', group: 'data', title: t.streams, view: lazyPart(() => import('./streams.tsx')) },
  { key: 'controls', group: 'data', title: t.controls, view: lazyPart(() => import('./controls.tsx')) },
  {
    key: 'telemetry',
    group: 'data',
    title: t.telemetry,
    offeredTo: seesPrivate,
    view: lazyPart(() => import('./telemetry.tsx')),
  },
  { key: 'console', group: 'console', title: t.console, view: lazyPart(() => import('./remote-console.tsx')) },
  {
    key: 'files',
    group: 'exchange',
    title: common.files,
    offeredTo: mayUseFiles,
    view: lazyPart(() => import('./files.tsx')),
  },
  {
    key: 'messages',
    group: 'exchange',
    title: t.messages,
    offeredTo: seesPrivate,
    view: lazyPart(() => import('./messages.tsx')),
  },
  { key: 'updates', group: 'history', title: t.updates, view: lazyPart(() => import('./updates.tsx')) },
  { key: 'log', group: 'history', title: t.log, view: lazyPart(() => import('./device-log.tsx')) },
];
