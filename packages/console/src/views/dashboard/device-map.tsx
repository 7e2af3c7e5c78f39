import { Box, Button, List, Stack } from '@mantine/core';
import type { DevicePlace } from '@moorage/api';
import type { Map as LeafletMap } from 'leaflet';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/dashboard.ts';
import { plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { openDialog } from '../../ui/dialogs.ts';
import { PageLink } from '../../ui/link.tsx';
import { Muted } from '../../ui/muted.tsx';
import { ErrorBox, Loaded } from '../../ui/states.tsx';
import { askedBox, boxOf, cellAt, type Point, placesRenewMs, pointsOf } from './places.ts';
import { approach, openMap, type Sight, showPoints } from './world-map.ts';

/** Points that are drawn; a map with more says nothing. */
const shownPoints = 400;
/** Devices of one point that are listed; more are only counted. */
const listedDevices = 50;

const pointName = ({ devices, places: [first] }: Point): string => {
  if (devices === 1 && first?.title) return first.title;
  return `${plural(devices, nouns.device)}${first?.city ? ` ${t.around(first.city)}` : ''}`;
};

/** A map of the world in an element, from when its settings are known. */
function useMap(tiles: string | null) {
  const ref = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<LeafletMap>();
  const [sight, setSight] = useState<Sight>();
  useEffect(() => {
    if (!ref.current) return;
    const opened = openMap(ref.current, tiles, setSight);
    const watcher = new ResizeObserver(() => opened.invalidateSize());
    watcher.observe(ref.current);
    setMap(opened);
    return () => {
      watcher.disconnect();
      opened.remove();
    };
  }, [tiles]);
  return { ref, map, sight };
}

interface DevicesAtProps {
  readonly point: Point;
  readonly cell: number;
  /** A device of it is gone to. */
  readonly onFollow: () => void;
  readonly onApproach: () => void;
}

/** The devices of a point of the map. */
function DevicesAt({ point, cell, onFollow, onApproach }: DevicesAtProps) {
  const query = useCall('metrics.locations', { query: { ...boxOf(point, cell), limit: listedDevices } });
  return (
    <Stack>
      <Loaded query={query}>
        {({ value, total = value.length }) => (
          <>
            <List>
              {value.map(({ device_id, title, city }) => (
                <List.Item key={device_id}>
                  <PageLink href={`/devices/${device_id}`} onClick={onFollow}>
                    {title}
                  </PageLink>{' '}
                  {city}
                </List.Item>
              ))}
            </List>
            {total > value.length && <Muted>{t.and(plural(total - value.length, nouns.moreDevice))}</Muted>}
          </>
        )}
      </Loaded>
      <Button variant="default" onClick={onApproach}>
        {t.zoomInHere}
      </Button>
    </Stack>
  );
}

const noPlaces: readonly DevicePlace[] = [];

function World({ tiles, attribution }: { readonly tiles: string | null; readonly attribution: string | null }) {
  const { ref, map, sight } = useMap(tiles);
  const cell = cellAt(sight?.zoom ?? 0);
  const query = useCall(
    'metrics.places',
    { query: { cell, ...(sight && askedBox(sight.box, cell)) } },
    { everyMs: placesRenewMs, slow: true, keepPrevious: true, enabled: sight !== undefined },
  );
  const places = query.data?.value ?? noPlaces;
  const [, navigate] = useLocation();
  const zoom = sight?.zoom;
  useEffect(() => {
    if (!map || zoom === undefined) return;
    const onOpen = (point: Point): void => {
      const id = point.devices === 1 ? point.places[0]?.device_id : null;
      if (id) navigate(`/devices/${id}`);
      else {
        openDialog({ title: pointName(point) }, (close) => (
          <DevicesAt
            point={point}
            cell={cell}
            onFollow={close}
            onApproach={() => {
              close();
              approach(map, point);
            }}
          />
        ));
      }
    };
    return showPoints(map, pointsOf(places, zoom).slice(0, shownPoints), { name: pointName, onOpen });
  }, [map, places, zoom, cell, navigate]);
  const devices = places.reduce((sum, place) => sum + place.devices, 0);
  return (
    <>
      <Box
        ref={ref}
        role="group"
        aria-label={t.mapOfWorldWith(plural(devices, nouns.device))}
        bg="var(--mantine-color-body)"
        // Below the heads of tables and all that is opened.
        style={{ aspectRatio: '16 / 9', zIndex: 0 }}
      />
      {attribution !== null && <Muted small>{attribution}</Muted>}
      {query.error && <ErrorBox error={query.error} onRetry={() => void query.refetch()} />}
    </>
  );
}

/** Where devices are, as reported by them or set by a user. */
export default function DeviceMap() {
  const settings = useCall('metrics.map', {});
  return <Loaded query={settings}>{({ value }) => <World {...value} />}</Loaded>;
}
