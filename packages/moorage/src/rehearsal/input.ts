import { type BodyOf, type rolloutsContract, rolloutTemplates, type ShapeRecord } from '@moorage/api';
import { isUuid, type Result } from '@moorage/base';
import { type FleetScenario, parseScenario, plainScenario } from '@moorage/fleet';
import {
  parseRollout,
  parseShape,
  rehearsable,
  scaledSettings,
  scenarioOf,
  silentPercentOf,
} from '@moorage/fleet/rehearsal/plan-file';
import { productNamed } from '../client/lookups.ts';
import { connect, type FieldSources, type ServiceClient } from '../client/service-client.ts';
import { UserError } from '../command-line/define.ts';
import { checkCount } from '../command-line/words.ts';
import { filesOf, readBase64 } from '../files/bundle-folder.ts';
import { readGivenText } from '../files/given-file.ts';
import type { RehearseFlags } from './options.ts';
import type { BundleFile, Rehearsal } from './run.ts';

type Asked = Partial<BodyOf<(typeof rolloutsContract)['create']>>;

const limits = { devices: 50_000, seeds: 100, days: 90 } as const;

/** Looks at what no file is needed for. @throws {UserError} */
function checkFlags(flags: RehearseFlags): void {
  for (const name of ['devices', 'seeds', 'days'] as const) {
    checkCount(name, flags[name], limits[name]);
  }
  for (const name of ['from', 'bundle-version'] as const) {
    if (!/^\d{1,5}(\.\d{1,5}){3}$/.test(flags[name])) {
      throw new UserError(`Option --${name} is "${flags[name]}", not a version such as 1.0.0.1`, 2);
    }
  }
  if (flags.backup !== undefined && flags.product === undefined && !isUuid(flags.rollout ?? '')) {
    throw new UserError('Option --backup needs the id of a rollout in it, or --product', 2);
  }
  const [one, other] = (['scenario', 'shape', 'product'] as const).filter((name) => flags[name] !== undefined);
  if (one && other) throw new UserError(`Option --${other} says what the twins are, too: leave --${one} out`, 2);
}

function read<T>(what: string, path: string, parsed: Result<T, string>): T {
  if (parsed.ok) return parsed.value;
  throw new UserError(`The ${what} "${path}" is wrong: ${parsed.error}`, 2);
}

interface Found {
  readonly rollout: Asked;
  readonly productId?: string;
  readonly version?: string;
  readonly files?: readonly BundleFile[];
}

/** The rollout of a service, with the files of its bundle. The firmware stays there: twins get that of the example. */
async function fromService(service: ServiceClient, rollout_id: string, wantsFiles: boolean): Promise<Found> {
  const { value: rollout } = await service.call('rollouts.get', { params: { rollout_id } });
  const { bundle_id, filter, priority, product_id: productId, settings, title } = rollout;
  const { value: bundle } = await service.call('bundles.get', { params: { bundle_id } });
  const files: BundleFile[] = [];
  for (const { exclude, filename, id: resource_id } of wantsFiles ? bundle.resources : []) {
    if (exclude) continue;
    const { value } = await service.call('bundles.binary', { params: { bundle_id, resource_id } });
    files.push({ filename, base64: Buffer.from(value as Uint8Array).toString('base64') });
  }
  const asked = { title, priority, settings, ...(filter !== null && { filter }) };
  return { rollout: asked, productId, version: bundle.version, ...(wantsFiles && { files }) };
}

async function readFolder(folder: string): Promise<BundleFile[]> {
  const files = await filesOf(folder);
  return Promise.all(files.map(async (file) => ({ filename: file.filename, base64: await readBase64(file) })));
}

type Connect = (sources?: FieldSources) => Promise<ServiceClient>;

async function shapeFor(
  flags: RehearseFlags,
  productId: string | undefined,
  connectTo: Connect,
): Promise<ShapeRecord | undefined> {
  const { product, rollout = '', scenario, shape } = flags;
  if (shape !== undefined) return read('shape', shape, parseShape(await readGivenText(shape, 'shape')));
  if (scenario !== undefined || (product === undefined && productId === undefined)) return undefined;
  const service = await connectTo();
  const id = product === undefined ? productId : (await productNamed(service, product, 'Option --product')).id;
  const query = id === productId ? { rollout_id: rollout } : {};
  return (await service.call('fleet.shape', { params: { product_id: id ?? '' }, query })).value;
}

async function scenarioFor(
  flags: RehearseFlags,
  shape: ShapeRecord | undefined,
  version: string,
): Promise<FleetScenario> {
  const { scenario: path } = flags;
  if (path !== undefined) return read('scenario', path, parseScenario(await readGivenText(path, 'scenario')));
  if (!shape) return plainScenario;
  const made = scenarioOf(shape, version);
  if (!made.ok) throw new UserError(made.error);
  return made.value;
}

/** What the flags of a rehearsal mean, and what it takes for granted. @throws {UserError} naming what is wrong */
export async function readInput(flags: RehearseFlags): Promise<RehearsalAsked> {
  checkFlags(flags);
  if (flags.backup === undefined) return askedOf(flags, (sources) => connect(flags, sources));
  const { openBackup } = await import('./backup.ts');
  const backup = await openBackup(flags.backup);
  try {
    return await askedOf(flags, async (sources) => backup.client(sources));
  } finally {
    await backup.close();
  }
}

interface RehearsalAsked {
  readonly rehearsal: Rehearsal;
  readonly assumed: readonly string[];
}

async function askedOf(flags: RehearseFlags, connectTo: Connect): Promise<RehearsalAsked> {
  const { bundle: folder, days, devices, from, rollout: named } = flags;
  if (named === undefined) throw new UserError('Option --rollout is missing', 2);
  const found: Found = isUuid(named)
    ? await fromService(await connectTo([['rollout_id', 'Option --rollout']]), named, folder === undefined)
    : { rollout: read('rollout', named, parseRollout(await readGivenText(named, 'rollout'))) };
  const files = folder === undefined ? found.files : await readFolder(folder);
  const version = found.version ?? flags['bundle-version'];
  const shape = await shapeFor(flags, found.productId, connectTo);
  const scenario = await scenarioFor(flags, shape, version);
  const { bundle_id: _bundle, filter, settings, template, title = 'Rollout', ...others } = found.rollout;
  if (settings && template !== undefined) {
    throw new UserError(`The rollout "${named}" is wrong: Key "template" excludes "settings"`, 2);
  }
  const meant = settings ?? rolloutTemplates[template ?? 'careful'].settings;
  const { assumed, settings: lonely } = rehearsable(meant);
  const scaled = shape ? scaledSettings(lonely, shape.devices, devices) : { settings: lonely, assumed: [] };
  // Where the fleet has been counted by it, all twins fit.
  const isCounted = filter !== undefined && shape?.filter === filter;
  const notes = [
    ...(isCounted ? ['All twins fit the filter; other devices do not ask for updates'] : []),
    ...(settings || template ? [] : ['Settings are those of the template "careful"']),
    ...assumed,
    ...scaled.assumed,
    ...(scenario.groups.some(({ host }) => host) ? ['Hosts write no samples and messages'] : []),
  ];
  const pollS = shape?.poll_interval_s ?? undefined;
  const silentPercent = shape && silentPercentOf(shape);
  const rollout = {
    ...others,
    title,
    settings: scaled.settings,
    ...(filter !== undefined && !isCounted && { filter }),
  };
  return {
    rehearsal: { rollout, version, files, scenario, devices, from, pollS, silentPercent, days },
    assumed: notes,
  };
}
