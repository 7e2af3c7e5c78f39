import type { LiveEventType, LogRecord } from '@moorage/api';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { after } from '../ui/time.ts';
import { addressOf } from './client.ts';
import { gatherer } from './gather.ts';
import { queryClient, type Resource, renew, renewByEvents } from './queries.ts';
import { resourcesOf } from './renewals.ts';

/** Whether changes arrive by themselves. */
export type Connection = 'connecting' | 'open' | 'lost';

const ConnectionContext = createContext<Connection>('connecting');

export const useConnection = (): Connection => useContext(ConnectionContext);

/** How soon a stream that the browser has given up is opened again, in ms. */
const reopenMs = 3_000;

interface Stream {
  readonly url: string;
  readonly types: readonly string[];
  readonly onEvent: (type: string, data: unknown) => void;
  /** `again` when it was lost before: whatever happened meanwhile was missed. */
  readonly onOpen: (again: boolean) => void;
  readonly onLost: () => void;
}

/** Opens an event stream that reconnects by itself; returns what closes it. */
function openStream({ url, types, onEvent, onOpen, onLost }: Stream): () => void {
  let ended = false;
  let wasLost = false;
  let source: EventSource;
  let cancel = (): void => {};
  const open = (): void => {
    source = new EventSource(url);
    source.onopen = () => {
      onOpen(wasLost);
      wasLost = false;
    };
    source.onerror = () => {
      if (ended) return;
      wasLost = true;
      onLost();
      // The browser comes back by itself after a cut, but not after a refusal: then the session may be over.
      if (source.readyState !== EventSource.CLOSED) return;
      void renew('session');
      cancel = after(reopenMs, open);
    };
    for (const type of types) {
      source.addEventListener(type, (event) => onEvent(type, JSON.parse((event as MessageEvent<string>).data)));
    }
  };
  open();
  return () => {
    ended = true;
    cancel();
    source.close();
  };
}

/** Follows the events of the service, and has what changed fetched again, wherever it is shown. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const [connection, setConnection] = useState<Connection>('connecting');
  useEffect(() => {
    const touched = gatherer<Resource>((resources) => void renewByEvents(...resources));
    const end = openStream({
      url: addressOf('events.stream', {}),
      types: ['log'],
      onEvent(_, data) {
        // Safe: the contract says what this event carries.
        touched.add(resourcesOf((data as LogRecord).type));
      },
      onOpen(again) {
        setConnection('open');
        if (again) void queryClient.invalidateQueries();
      },
      onLost: () => setConnection('lost'),
    });
    return () => {
      touched.cancel();
      end();
    };
  }, []);
  return <ConnectionContext value={connection}>{children}</ConnectionContext>;
}

/** Hears of what one device does for as long as the page is open: samples, controls, messages, updates. */
export function useDeviceEvents(deviceId: string, onEvent: (type: LiveEventType, data: unknown) => void): Connection {
  const [connection, setConnection] = useState<Connection>('connecting');
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(
    () =>
      openStream({
        url: addressOf('data.live', { params: { device_id: deviceId } }),
        types: ['samples', 'control', 'message', 'online', 'telemetry', 'update'],
        // Safe: the types listened to are those of the contract.
        onEvent: (type, data) => latest.current(type as LiveEventType, data),
        onOpen(again) {
          setConnection('open');
          if (again) void renew('devices', 'deviceUpdates', 'data', 'channel');
        },
        onLost: () => setConnection('lost'),
      }),
    [deviceId],
  );
  return connection;
}
