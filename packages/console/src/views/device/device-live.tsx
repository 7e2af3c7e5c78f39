import type { LiveEventType } from '@moorage/api';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import { type Connection, useDeviceEvents } from '../../api/live.tsx';
import { queryClient, renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/device.ts';
import { keepPercent } from './percent.ts';
import type { LiveSample } from './samples.ts';

type SampleListener = (samples: readonly LiveSample[]) => void;

interface DeviceLive {
  readonly connection: Connection;
  readonly listen: (listener: SampleListener) => () => void;
}

const DeviceLiveContext = createContext<DeviceLive | null>(null);

const renewData = (action: keyof typeof dataKeys): void =>
  void queryClient.invalidateQueries({ queryKey: dataKeys[action] });

/** Keys of what is asked for again one by one: all data of a device at once would load its charts anew. */
const dataKeys = {
  controls: ['data', 'controls'],
  history: ['data', 'controlHistory'],
  messages: ['data', 'messages'],
};

/** What is asked for again after an event; samples are put where they belong by those who show them. */
const renewals: Readonly<Record<Exclude<LiveEventType, 'samples' | 'progress'>, () => void>> = {
  control: () => {
    renewData('controls');
    renewData('history');
  },
  message: () => renewData('messages'),
  online: () => void renew('devices', 'channel'),
  telemetry: () => void renew('channel'),
  update: () => void renew('deviceUpdates', 'devices'),
};

/** Hears what the device does for as long as its page is open, whichever tab is shown. */
export function DeviceLiveProvider({
  deviceId,
  children,
}: {
  readonly deviceId: string;
  readonly children: ReactNode;
}) {
  const listeners = useRef(new Set<SampleListener>());
  const connection = useDeviceEvents(deviceId, (type, data) => {
    keepPercent(deviceId, type, data);
    // Safe: the contract says what this event carries.
    if (type === 'samples') for (const listener of listeners.current) listener(data as readonly LiveSample[]);
    else if (type !== 'progress') renewals[type]();
  });
  const live = useMemo<DeviceLive>(
    () => ({
      connection,
      listen(listener) {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
    }),
    [connection],
  );
  return <DeviceLiveContext value={live}>{children}</DeviceLiveContext>;
}

/** Hears of the samples that the device sends, as they arrive. */
export function useSamples(listener: SampleListener): Connection {
  const live = useContext(DeviceLiveContext);
  if (!live) throw new Error(t.thereIsNoDeviceWhose);
  const latest = useRef(listener);
  latest.current = listener;
  const { listen, connection } = live;
  useEffect(() => listen((samples) => latest.current(samples)), [listen]);
  return connection;
}

/** Whether the device is on the message channel; undefined until that is known. */
export const useOnline = (deviceId: string): boolean | undefined =>
  useCall('channel.status', { params: { device_id: deviceId } }).data?.value.online;
