import type { LiveEventType } from '@moorage/api';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { gatherer } from './gather.ts';
import { LivePage } from './live-page.ts';
import { queryClient, type Resource, renew, renewByEvents } from './queries.ts';
import { resourcesOf } from './renewals.ts';

/** Whether changes arrive by themselves. */
export type Connection = 'connecting' | 'open' | 'lost';

const ConnectionContext = createContext<Connection>('connecting');
const PageContext = createContext<LivePage | undefined>(undefined);

export const useConnection = (): Connection => useContext(ConnectionContext);

/** Follows the events of the service, and has what changed fetched again, wherever it is shown. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const [connection, setConnection] = useState<Connection>('connecting');
  const [page, setPage] = useState<LivePage>();
  useEffect(() => {
    const touched = gatherer<Resource>((resources) => void renewByEvents(...resources));
    const opened = new LivePage((message) => {
      if (message.kind === 'log') return touched.add(resourcesOf(message.type));
      setConnection(message.kind);
      if (message.kind === 'open' && message.again) void queryClient.invalidateQueries();
      // The session may be over.
      if (message.kind === 'lost' && message.refused) void renew('session');
    });
    setPage(opened);
    return () => {
      touched.cancel();
      opened.close();
    };
  }, []);
  return (
    <ConnectionContext value={connection}>
      <PageContext value={page}>{children}</PageContext>
    </ConnectionContext>
  );
}

/** Follows what one device does for as long as the page is open: samples, controls, messages, updates. */
export function useDeviceEvents(deviceId: string, onEvent: (type: LiveEventType, data: unknown) => void): Connection {
  const page = useContext(PageContext);
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => page?.follow(deviceId, (type, data) => latest.current(type, data)), [page, deviceId]);
  return useConnection();
}
