import type { CircleMarkerOptions, LatLngBoundsLiteral, Map as LeafletMap } from 'leaflet';
import * as leaflet from 'leaflet';
import 'leaflet/dist/leaflet.css';
import './world-map.css';
import { feature } from 'topojson-client';
import worldUrl from 'world-atlas/land-110m.json?url';
import { t } from '../../texts/dashboard.ts';
import { formatCompact } from '../../texts/format.ts';
import { type Box, type Point, unrolled } from './places.ts';

/** All that is land and not ice. */
const inhabited: LatLngBoundsLiteral = [
  [-56, -168],
  [76, 178],
];
/** How far one can move, in degrees: a little beyond the date line, where land goes on. */
const reach: LatLngBoundsLiteral = [
  [-85, -195],
  [85, 195],
];
/** Nearer there are houses. */
const nearest = 18;

type Rings = leaflet.LatLng[][][];

/** The land of the world, from the service's own file: no other machine is asked. */
async function landOfWorld(): Promise<Rings> {
  const reply = await fetch(worldUrl);
  // Safe: the file is a topology with this one collection of land.
  const topology = (await reply.json()) as Parameters<typeof feature>[0];
  const land = topology.objects.land && feature(topology, topology.objects.land);
  const shapes = land && 'features' in land ? land.features.map(({ geometry }) => geometry) : [];
  const polygons = shapes.flatMap((shape) => {
    if (shape.type === 'Polygon') return [shape.coordinates];
    return shape.type === 'MultiPolygon' ? shape.coordinates : [];
  });
  return polygons.map((polygon) => polygon.map((ring) => unrolled(ring).map(([lat, lon]) => leaflet.latLng(lat, lon))));
}

/** Shows land as soon as it is there; until then, and where the service is away, places stand on open water. */
function coastLines(): leaflet.Layer {
  const style: CircleMarkerOptions = { interactive: false, stroke: false, fillColor: 'var(--land)', fillOpacity: 1 };
  const lines = leaflet.polygon([], style);
  landOfWorld().then(
    (rings) => void lines.setLatLngs(rings),
    () => {},
  );
  return lines;
}

/** What of the map is seen, and how near. */
export interface Sight {
  readonly zoom: number;
  readonly box: Box;
}

function sightOf(map: LeafletMap): Sight {
  const bounds = map.getBounds();
  const [south, north, west, east] = [bounds.getSouth(), bounds.getNorth(), bounds.getWest(), bounds.getEast()];
  return { zoom: map.getZoom(), box: { south, north, west, east } };
}

/** Makes an element a map of the world: of pictures from `tiles`, or else of coast lines. `onSight` hears what is seen. */
export function openMap(element: HTMLElement, tiles: string | null, onSight: (sight: Sight) => void): LeafletMap {
  const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = leaflet.map(element, {
    maxBounds: reach,
    maxBoundsViscosity: 1,
    maxZoom: nearest,
    zoomSnap: 0.25,
    // Pages are scrolled past it, by wheel and by finger; two fingers move it.
    scrollWheelZoom: false,
    dragging: !leaflet.Browser.mobile,
    zoomAnimation: !isStill,
    fadeAnimation: !isStill,
    inertia: !isStill,
    attributionControl: false,
    zoomControl: false,
  });
  leaflet.control.zoom({ zoomInTitle: t.zoomIn, zoomOutTitle: t.zoomOut }).addTo(map);
  (tiles === null ? coastLines() : leaflet.tileLayer(tiles, { maxZoom: nearest, minZoom: 0 })).addTo(map);
  map.fitBounds(inhabited, { animate: false });
  map.setMinZoom(Math.min(1, map.getZoom()));
  map.on('moveend', () => onSight(sightOf(map)));
  onSight(sightOf(map));
  return map;
}

interface MarkOptions {
  readonly name: (point: Point) => string;
  readonly onOpen: (point: Point) => void;
}

function markOf(point: Point, { name, onOpen }: MarkOptions): leaflet.Marker {
  const online = point.places.some((place) => place.heard > 0);
  const size = Math.min(12 + Math.log2(point.devices) * 2, 28);
  const dot = document.createElement('span');
  dot.className = 'map-mark';
  dot.dataset.online = String(online);
  dot.style.width = dot.style.height = `${size}px`;
  dot.textContent = point.devices > 9 ? formatCompact(point.devices) : '';
  // What a finger can hit.
  const icon = leaflet.divIcon({ html: dot, className: 'map-target', iconSize: [28, 28] });
  const mark = leaflet.marker([point.lat, point.lon], { icon, title: name(point), riseOnHover: true });
  mark.on('add', () => mark.getElement()?.setAttribute('aria-label', name(point)));
  mark.on('click', () => onOpen(point));
  mark.on('keypress', ({ originalEvent: { key } }: leaflet.LeafletKeyboardEvent) => {
    if (key === 'Enter' || key === ' ') onOpen(point);
  });
  return mark;
}

/** Points on a map; returns how to take them off again. */
export function showPoints(map: LeafletMap, points: readonly Point[], options: MarkOptions): () => void {
  const marks = leaflet.layerGroup(points.map((point) => markOf(point, options))).addTo(map);
  return () => void marks.remove();
}

/** Goes near a point. */
export const approach = (map: LeafletMap, { lat, lon }: Point): void => {
  map.setView([lat, lon], Math.min(nearest, map.getZoom() + 3));
};
