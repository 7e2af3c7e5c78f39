import { Box, List, Modal, Text } from '@mantine/core';
import type { DeviceLocation } from '@moorage/api';
import { useMemo, useState } from 'react';
import { feature } from 'topojson-client';
import world from 'world-atlas/land-110m.json';
import { useLocation } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { formatCompact, formatCount, plural } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Loaded } from '../../ui/states.tsx';
import { mapSize, outlineOf, type Place, placesOf, project } from './places.ts';

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

const placeName = ({ devices }: Place): string => {
  const [first] = devices;
  if (devices.length === 1 && first) return first.title;
  return `${plural(devices.length, 'device')}${first?.city ? ` around ${first.city}` : ''}`;
};

interface MarkProps {
  readonly place: Place;
  readonly onOpen: (place: Place) => void;
}

function Mark({ place, onOpen }: MarkProps) {
  const [x, y] = project(place);
  const online = place.devices.some((device) => device.online);
  const name = placeName(place);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a drawing
    <g
      role="button"
      tabIndex={0}
      aria-label={name}
      style={{ cursor: 'pointer' }}
      onClick={() => onOpen(place)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') onOpen(place);
      }}
    >
      <title>{name}</title>
      {/* What a finger can hit. */}
      <circle cx={x} cy={y} r={14} fill="transparent" />
      <circle
        cx={x}
        cy={y}
        r={Math.min(5 + Math.log2(place.devices.length) * 0.9, 13)}
        fill={`var(--mantine-color-${online ? 'teal' : 'cyan'}-9)`}
        fillOpacity={0.9}
        stroke="var(--mantine-color-body)"
        strokeWidth={1.5}
      />
      {place.devices.length > 9 && (
        <text x={x} y={y} dy="0.35em" textAnchor="middle" fontSize={9} fontWeight={700} fill="#fff" aria-hidden>
          {formatCompact(place.devices.length)}
        </text>
      )}
    </g>
  );
}

interface WorldProps {
  readonly devices: readonly DeviceLocation[];
  readonly onOpen: (place: Place) => void;
}

function World({ devices, onOpen }: WorldProps) {
  const outline = useMemo(worldOutline, []);
  const places = useMemo(() => placesOf(devices).slice(0, shownPlaces), [devices]);
  return (
    <Box style={{ overflowX: 'hidden' }}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing with buttons in it is no set of fields */}
      <svg
        viewBox={`0 0 ${mapSize.width} ${mapSize.height}`}
        width="100%"
        role="group"
        aria-label={`Map of the world with ${plural(devices.length, 'device')}`}
      >
        <path d={outline} fill="var(--land)" stroke="var(--mantine-color-body)" strokeWidth={0.4} />
        {places.map((place) => (
          <Mark key={`${place.lon} ${place.lat}`} place={place} onOpen={onOpen} />
        ))}
      </svg>
    </Box>
  );
}

/** Places change slowly, and those of a large fleet are megabytes, in ms. */
const renewMs = 60_000;

/** Devices of one place that are listed; more are only counted. */
const listedDevices = 50;

/** Where devices are, as reported by them or set by a user. */
export default function DeviceMap() {
  const query = useCall('metrics.locations', { query: {} }, { everyMs: renewMs, slow: true });
  const [open, setOpen] = useState<Place>();
  const [, navigate] = useLocation();
  const show = (place: Place): void => {
    const [first] = place.devices;
    if (place.devices.length === 1 && first) navigate(`/devices/${first.device_id}`);
    else setOpen(place);
  };
  return (
    <Loaded query={query}>
      {({ value: devices, total = devices.length }) => (
        <>
          <World devices={devices} onOpen={show} />
          {total > devices.length && (
            <Text size="sm" c="dimmed" mt="xs">
              The newest {formatCount(devices.length)} of {plural(total, 'device')} with a location.
            </Text>
          )}
          {devices.length === 0 && (
            <Text size="sm" c="dimmed" mt="xs">
              No device has a location yet. Give it one with "Edit" on the page of the device.
            </Text>
          )}
          <Modal
            opened={open !== undefined}
            onClose={() => setOpen(undefined)}
            title={open && placeName(open)}
            closeButtonProps={{ 'aria-label': 'Close' }}
          >
            <List>
              {open?.devices.slice(0, listedDevices).map(({ device_id, title, city }) => (
                <List.Item key={device_id}>
                  <PageLink href={`/devices/${device_id}`}>{title}</PageLink> {city}
                </List.Item>
              ))}
            </List>
            {open && open.devices.length > listedDevices && (
              <Text size="sm" c="dimmed">
                and {plural(open.devices.length - listedDevices, 'more device')}
              </Text>
            )}
          </Modal>
        </>
      )}
    </Loaded>
  );
}
