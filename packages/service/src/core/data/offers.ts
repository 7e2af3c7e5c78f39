import { type Capabilities, type CapabilitiesOffer, capabilitiesLimitBytes } from '@moorage/api';
import type { Static } from 'typebox';
import type { Db } from '../../engine/db/storage.ts';
import type { BytesReply, FileReply } from '../../engine/http/types.ts';

/** Assets of a product below this path are capabilities files; a script beside one has its name and `.script`. */
const assetFolder = 'capabilities/';
const scriptEnding = '.script';

const example: Capabilities = {
  name: 'Thermostat',
  version: '1.0.0',
  streams: {
    temp: { title: 'Temperature', type: 'number', units: 'C', min: -40, max: 125 },
    status: { title: 'Status', type: 'string' },
  },
  controls: {
    target: { title: 'Target temperature', type: 'number', units: 'C', min: 5, max: 30, default: 20 },
    led1: { title: 'Lamp', type: 'number', min: 0, max: 1, default: 0 },
  },
  messages: { 'to-device': true, 'from-device': true },
};

/** What every device is offered when its product has nothing better. Reference: data-cloud 2.3. */
const builtIn: Readonly<Record<string, string>> = {
  'thermostat.json': JSON.stringify(example, undefined, 1),
  'thermostat.script': [
    '# Pins of the example: the lamp on GPIO 10',
    'set cloud.solo.gpio 10 led1',
    'set cloud.solo.sync_period 10',
    '',
  ].join('\r\n'),
};

const urlOf = (name: string): string => `/device/v1/capabilities/${encodeURIComponent(name)}`;

interface Asset {
  readonly path: string;
  readonly version: string | null;
  readonly sha256: string;
  readonly size: number;
  readonly mime: string;
  readonly updated_at: number;
}

const assetsOf = (db: Db, productId: string): Promise<Asset[]> =>
  db
    .selectFrom('files')
    .select(['path', 'version', 'sha256', 'size', 'mime', 'updated_at'])
    .where('product_id', '=', productId)
    .where('path', '>', assetFolder)
    // The character that follows the slash: a range that the index of paths serves.
    .where('path', '<', 'capabilities0')
    .orderBy('path')
    .execute();

interface Found {
  readonly name: string;
  readonly version: string;
}

const listed = (files: readonly Found[], startsWithDefault: boolean): Static<typeof CapabilitiesOffer>[] => {
  const names = new Set(files.map(({ name }) => name));
  const offered = files.filter(({ name }) => name.endsWith('.json'));
  const standard = offered.find(({ name }) => name === 'default.json') ?? offered[0];
  return offered.map((file) => {
    const script = file.name.replace(/\.json$/, scriptEnding);
    return {
      ...file,
      url: urlOf(file.name),
      ...(names.has(script) && { script: urlOf(script) }),
      default: startsWithDefault && file === standard,
    };
  });
};

/**
 * Capabilities files for the devices of a product: those among its assets, then the built-in examples. The default is
 * the asset `capabilities/default.json`, else the first asset, else the first example.
 */
export async function offersFor(db: Db, productId: string): Promise<Static<typeof CapabilitiesOffer>[]> {
  const assets = (await assetsOf(db, productId))
    .filter(({ size }) => size <= capabilitiesLimitBytes)
    .map(({ path, version }) => ({ name: path.slice(assetFolder.length), version: version ?? '1.0.0' }));
  const own = listed(assets, true);
  const taken = new Set(own.map(({ name }) => name));
  const examples = Object.keys(builtIn).map((name) => ({ name, version: example.version }));
  return [...own, ...listed(examples, own.length === 0).filter(({ name }) => !taken.has(name))];
}

/** One of the files, or a script that goes with one; `undefined` when there is none of that name. */
export async function offerNamed(db: Db, productId: string, name: string): Promise<FileReply | BytesReply | undefined> {
  const asset = (await assetsOf(db, productId)).find(({ path }) => path === `${assetFolder}${name}`);
  if (asset) {
    const { sha256, size, mime, updated_at: lastModifiedMs } = asset;
    return { sha256, size, mime, lastModifiedMs };
  }
  if (!Object.hasOwn(builtIn, name)) return undefined;
  return { bytes: Buffer.from(builtIn[name] ?? ''), mime: name.endsWith('.json') ? 'application/json' : 'text/plain' };
}
