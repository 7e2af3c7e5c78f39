import type { Capabilities, Client, ProductRecord } from '@moorage/api';
import { minuteMs } from '@moorage/base';
import type { Module } from '@moorage/module';
import { must } from './example.ts';

/** What the tide gauge measures and what its users set. One millivolt of its probe is one millimetre of water. */
const capabilities: Capabilities = {
  name: 'Tide gauge',
  version: '1.0.0',
  streams: {
    tide: { title: 'Water level', type: 'number', units: 'mm', min: 0, max: 3300 },
    supply: { title: 'Supply voltage', type: 'number', units: 'mV', min: 0, max: 3300 },
  },
  controls: { light: { title: 'Harbour light', type: 'number', min: 0, max: 1, default: 0 } },
  messages: { 'to-device': true, 'from-device': true },
};

/** Pins of the board: two that measure, one that switches. */
const pins = { tide: 7, supply: 8, light: 10 } as const;

const setupScript = [
  '# Pins of the tide gauge: the probe, the supply, and the harbour light',
  ...Object.entries(pins).map(([name, pin]) => `set cloud.solo.gpio ${pin} ${name}`),
  'set cloud.solo.sync_period 2',
  '',
].join('\r\n');

const assets = [
  { path: 'capabilities/tide-gauge.json', mime: 'application/json', content: JSON.stringify(capabilities, null, 1) },
  { path: 'capabilities/tide-gauge.script', mime: 'text/plain', content: setupScript },
] as const;

/** Lays the capabilities file of the example, with its setup script, among the assets of its product. */
export async function ensureCapabilities(client: Client, product: ProductRecord): Promise<void> {
  const params = { product_id: product.id };
  const there = must(await client.call('assets.list', { params, query: { prefix: 'capabilities/' } }));
  for (const { path, mime, content } of assets) {
    if (there.some((file) => file.path === path)) continue;
    const body = new Blob([content], { type: mime });
    must(await client.call('assets.upload', { params: { ...params, path }, query: {}, body }));
  }
}

/** High water to high water: fast enough to watch. */
const tidePeriodMs = 10 * minuteMs;

const wave = (atMs: number, periodMs: number): number => Math.sin((2 * Math.PI * atMs) / periodMs);

/** What the probe gives, in volts: tide, swell, and the wake of a boat now and then. */
const probeVolts = (atMs: number): number =>
  1.65 +
  1.1 * wave(atMs, tidePeriodMs) +
  0.12 * wave(atMs, 41_000) +
  0.05 * wave(atMs, 7_300) * (1 + wave(atMs, 3 * minuteMs));

/** What the supply gives, in volts: a battery that the sun charges. */
export const supplyVolts = (atMs: number): number =>
  2.95 + 0.2 * wave(atMs, 4 * tidePeriodMs) + 0.01 * wave(atMs, 5_100);

/** Connects a harbour to the pins of the module, whatever it makes of them. It goes on where it was at the last start. */
export function connectHarbour({ pins: board }: Pick<Module, 'pins'>, startMs: number): void {
  board.analog(pins.tide, (ms) => probeVolts(startMs + ms));
  board.analog(pins.supply, (ms) => supplyVolts(startMs + ms));
}
