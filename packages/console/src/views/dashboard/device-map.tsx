import { Box, List, Modal, Text } from '@mantine/core';
import type { DevicePlace } from '@moorage/api';
import { useMemo, useState } from 'react';
import { feature } from 'topojson-client';
import world from 'world-atlas/land-110m.json';
import { useLocation } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/dashboard.ts';
import { nouns } from '../../texts/nouns.ts';
import { formatCompact, plural } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Loaded } from '../../ui/states.tsx';
import { boxOf, cellDegrees, mapSize, outlineOf, type Point, pointsOf, project } from './places.ts';

/** The land of the world, from the package's own file: no other machine is asked. */
function worldOutline(): string {
  // Safe: the file is a topology with this one collection of land.
  const topology = world as unknown as Parameters<typeof feature>[0];
  const land = topology.objects.land && feature(topology, topology.objects.land);
  if (!land || !('features' in land)) return '';
  return land.features
    .map(({ geometry }) => {
      if (geometry.type === 'Polygon') return outlineOf([geometry.coordinates]);
      return geometry.type === 'MultiPolygon' ? outlineOf(geometry.coordinates) : '';
    })
    .join('');
}

/** Points that are drawn; a map with more says nothing. */
const shownPlaces = 400;

const pointName = ({ devices, places: [first] }: Point): string => {
  if (devices === 1 && first?.title) return first.title;
  return `${plural(devices, nouns.device)}${first?.city ? ` ${t.around(first.city)}` : ''}`;
};

interface MarkProps {
  readonly point: Point;
  readonly onOpen: (point: Point) => void;
}

function Mark({ point, onOpen }: MarkProps) {
  const [x, y] = project(point);
  const online = point.places.some((place) => place.online > 0);
  const name = pointName(point);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a drawing
    <g
      role="button"
      tabIndex={0}
      aria-label={name}
      style={{ cursor: 'pointer' }}
      onClick={() => onOpen(point)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') onOpen(point);
      }}
    >
      <title>{name}</title>
      {/* What a finger can hit. */}
      <circle cx={x} cy={y} r={14} fill="transparent" />
      <circle
        cx={x}
        cy={y}
        r={Math.min(5 + Math.log2(point.devices) * 0.9, 13)}
        fill={`var(--mantine-color-${online ? 'teal' : 'cyan'}-9)`}
        fillOpacity={0.9}
        stroke="var(--mantine-color-body)"
        strokeWidth={1.5}
      />
      {point.devices > 9 && (
        <text x={x} y={y} dy="0.35em" textAnchor="middle" fontSize={9} fontWeight={700} fill="#fff" aria-hidden>
          {formatCompact(point.devices)}
        </text>
      )}
    </g>
  );
}

interface WorldProps {
  readonly places: readonly DevicePlace[];
  readonly onOpen: (point: Point) => void;
}

function World({ places, onOpen }: WorldProps) {
  const outline = useMemo(worldOutline, []);
  const points = useMemo(() => pointsOf(places).slice(0, shownPlaces), [places]);
  const devices = places.reduce((sum, place) => sum + place.devices, 0);
  return (
    <Box style={{ overflowX: 'hidden' }}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing with buttons in it is no set of fields */}
      <svg
        viewBox={`0 0 ${mapSize.width} ${mapSize.height}`}
        width="100%"
        role="group"
        aria-label={t.mapOfWorldWith(plural(devices, nouns.device))}
      >
        <path d={outline} fill="var(--land)" stroke="var(--mantine-color-body)" strokeWidth={0.4} />
        {points.map((point) => (
          <Mark key={`${point.lon} ${point.lat}`} point={point} onOpen={onOpen} />
        ))}
      </svg>
    </Box>
  );
}

/** Places change slowly, and no event says when, in ms. */
const renewMs = 60_000;

/** Devices of one point that are listed; more are only counted. */
const listedDevices = 50;

/** The devices of a point of the map. */
function DevicesAt({ point }: { readonly point: Point }) {
  const query = useCall('metrics.locations', { query: { ...boxOf(point), limit: listedDevices } });
  return (
    <Loaded query={query}>
      {({ value, total = value.length }) => (
        <>
          <List>
            {value.map(({ device_id, title, city }) => (
              <List.Item key={device_id}>
                <PageLink href={`/devices/${device_id}`}>{title}</PageLink> {city}
              </List.Item>
            ))}
          </List>
          {total > value.length && (
            <Text size="sm" c="dimmed">
              {t.and(plural(total - value.length, nouns.moreDevice))}
            </Text>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Where devices are, as reported by them or set by a user. */
export default function DeviceMap() {
  const query = useCall('metrics.places', { query: { cell: cellDegrees } }, { everyMs: renewMs, slow: true });
  const [open, setOpen] = useState<Point>();
  const [, navigate] = useLocation();
  const show = (point: Point): void => {
    const id = point.devices === 1 ? point.places[0]?.device_id : null;
    if (id) navigate(`/devices/${id}`);
    else setOpen(point);
  };
  return (
    <Loaded query={query}>
      {({ value: places }) => (
        <>
          <World places={places} onOpen={show} />
          {places.length === 0 && (
            <Text size="sm" c="dimmed" mt="xs">
              {t.noDeviceHasLocationYet}
            </Text>
          )}
          <Modal
            opened={open !== undefined}
            onClose={() => setOpen(undefined)}
            title={open && pointName(open)}
            closeButtonProps={{ 'aria-label': common.close }}
          >
            {open && <DevicesAt point={open} />}
          </Modal>
        </>
      )}
    </Loaded>
  );
}
