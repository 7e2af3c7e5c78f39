import {
  type BundleDetail,
  type BundleRecord,
  bundleStates,
  type FirmwareRecord,
  type ProductRecord,
  tags,
} from '@moorage/api';
import { productNamed } from '../client/lookups.ts';
import { clientOptions, connect, type FieldSources, type ServiceClient } from '../client/service-client.ts';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import { printable, reportRows, timeText } from '../command-line/table.ts';
import { wordOf } from '../command-line/words.ts';
import { type FolderFile, filesOf, openBytes, readBase64 } from '../files/bundle-folder.ts';
import { describeReach } from '../rollouts/texts.ts';

const parent = 'bundles';
const productArgument = { name: 'PRODUCT', help: 'code or id of the product' } as const;
const versionArgument = { name: 'VERSION', help: 'version of the bundle' } as const;
const sources: FieldSources = [
  ['version', 'Option --bundle-version'],
  ['bundle_id', 'Argument VERSION'],
  ['product_id', 'Argument PRODUCT'],
];

/** The bundle of a product with a version, in any state. @throws {UserError} when there is none */
async function bundleOf(service: ServiceClient, product_id: string, version: string): Promise<BundleRecord> {
  const params = { product_id };
  const bundles = await service.all((page) => service.call('bundles.list', { params, query: page }));
  const bundle = bundles.find((one) => one.version === version);
  if (!bundle) throw new UserError(`Argument VERSION is "${version}": the product has no such bundle`);
  return bundle;
}

const row = ({ version, state, tag, firmware, device_count, device_count_bundle_ok, created_at }: BundleRecord) => [
  version,
  state,
  tag,
  firmware,
  device_count === 0 ? '' : `${device_count_bundle_ok} of ${device_count}`,
  timeText(created_at, 'day'),
];

export const bundlesListCommand = defineCliCommand({
  name: 'list',
  parent,
  summary: 'List the bundles of a product, the newest first',
  arguments: [productArgument],
  options: {
    ...clientOptions,
    state: { kind: 'text', placeholder: bundleStates.join('|'), help: 'only those in this state' },
  },
  async run({ options, args: [name = ''], reporter }) {
    const state = wordOf(bundleStates, options.state, 'Option --state');
    const service = await connect(options, sources);
    const { id: product_id } = await productNamed(service, name);
    const bundles = await service.all((page) =>
      service.call('bundles.list', { params: { product_id }, query: { ...page, ...(state && { state }) } }),
    );
    const titles = ['version', 'state', 'tag', 'firmware', 'installed', 'created'];
    reportRows(reporter, { event: 'bundle', titles, row }, bundles);
  },
});

/** The firmware that a bundle is for: the named version, or the newest of the product's flavor. */
async function firmwareOf(
  service: ServiceClient,
  { platform_id, platform, flavor_id }: ProductRecord,
  version: string | undefined,
): Promise<FirmwareRecord> {
  const { value } = await service.call('platforms.get', { params: { platform_id } });
  const fitting = value.firmwares.filter((one) => flavor_id === null || one.flavor_id === flavor_id);
  const firmware = version === undefined ? fitting[0] : fitting.find((one) => one.version === version);
  if (firmware) return firmware;
  throw new UserError(
    version === undefined
      ? `Platform ${platform} has no firmware for this product`
      : `Option --firmware is "${version}": platform ${platform} has no such firmware for this product`,
  );
}

/** The names that `--setup-scripts` lists. @throws {UserError} when the folder has no such file */
function scriptsOf(text: string, files: readonly FolderFile[]): ReadonlySet<string> {
  const names = text.split(',').filter((name) => name !== '');
  const missing = names.find((name) => !files.some(({ filename }) => filename === name));
  if (missing === undefined) return new Set(names);
  throw new UserError(`Option --setup-scripts has "${missing}": the folder has no such file`, 2);
}

interface Filling {
  readonly files: readonly FolderFile[];
  /** Names of those that are setup scripts. */
  readonly scripts: ReadonlySet<string>;
}

/** Larger files are sent as they are read, in bytes. */
const wholeLimitBytes = 8 * 1024 * 1024;

/** Adds a file to a bundle. @throws {UserError} with its name */
async function addFile(service: ServiceClient, bundle_id: string, file: FolderFile, isScript: boolean): Promise<void> {
  const { filename, size } = file;
  try {
    if (size > wholeLimitBytes && !isScript) {
      const params = { bundle_id, name: filename };
      await service.call('bundles.addArtifact', { params, body: await openBytes(file) });
      return;
    }
    const body = { filename, base64: await readBase64(file), ...(isScript && { type: 'SETUP_SCRIPT' }) };
    await service.call('bundles.addResource', { params: { bundle_id }, body });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`File "${filename}": ${error.message}`, error.exitCode, { cause: error });
  }
}

/** Fills a new bundle. What fails midway leaves no bundle behind. */
async function fill(service: ServiceClient, bundle: BundleDetail, { files, scripts }: Filling, reporter: Reporter) {
  const params = { bundle_id: bundle.id };
  try {
    for (const file of files) {
      const { filename, size } = file;
      await addFile(service, bundle.id, file, scripts.has(filename));
      reporter.event('file', { filename, size }, `  ${printable(filename)} (${size} bytes)`);
    }
  } catch (error) {
    // The first failure is the one to report.
    await service.call('bundles.setState', { params, body: { state: 'trash' } }).catch(() => {});
    throw error;
  }
}

export const bundlesCreateCommand = defineCliCommand({
  name: 'create',
  parent,
  summary: 'Create a bundle of the files in a folder; with --publish and --tag it is on its way to devices at once',
  arguments: [
    productArgument,
    { name: 'FOLDER', help: 'its files keep their paths; those that begin with a dot stay' },
  ],
  options: {
    ...clientOptions,
    'bundle-version': {
      kind: 'text',
      placeholder: 'VERSION',
      help: 'its version, such as 1.2.0.0',
      defaultText: 'one higher than the highest',
    },
    firmware: { kind: 'text', placeholder: 'VERSION', help: 'firmware that it is for', defaultText: 'the newest' },
    'setup-scripts': {
      kind: 'text',
      placeholder: 'FILE[,FILE]',
      help: 'files of the folder that are setup scripts, with their paths in it',
    },
    publish: { kind: 'switch', help: 'publish it once it is complete' },
    tag: { kind: 'text', placeholder: tags.join('|'), help: 'with --publish: give it this tag' },
  },
  async run({ options, args: [name = '', folder = ''], reporter }) {
    const { publish } = options;
    const version = options['bundle-version'];
    const tag = wordOf(tags, options.tag, 'Option --tag');
    if (tag && !publish) throw new UserError('Option --tag is for published bundles: --publish is missing', 2);
    const files = await filesOf(folder);
    const scripts = scriptsOf(options['setup-scripts'] ?? '', files);
    const service = await connect(options, sources);
    const product = await productNamed(service, name);
    const firmware = await firmwareOf(service, product, options.firmware);
    const params = { product_id: product.id };
    const body = { ...params, firmware_id: firmware.id, ...(version !== undefined && { version }) };
    const { value: bundle } = await service.call('bundles.create', { params, body });
    reporter.say(`Bundle ${bundle.version} of ${product.product}:`);
    await fill(service, bundle, { files, scripts }, reporter);
    const at = { params: { bundle_id: bundle.id } };
    if (publish) await service.call('bundles.setState', { ...at, body: { state: 'published' } });
    if (tag) await service.call('bundles.setTag', { ...at, body: { tag } });
    const { value } = await service.call('bundles.get', at);
    reporter.event('bundle', value, `Bundle ${value.version} is ${stateText(value)}`);
  },
});

const stateText = ({ state, tag }: Pick<BundleRecord, 'state' | 'tag'>): string =>
  `${state === 'preview' ? 'in preview' : state === 'archive' ? 'archived' : 'published'}${tag ? `, tagged ${tag}` : ''}`;

export const bundlesPublishCommand = defineCliCommand({
  name: 'publish',
  parent,
  summary: 'Publish a bundle that is in preview',
  arguments: [productArgument, versionArgument],
  options: clientOptions,
  async run({ options, args: [name = '', version = ''], reporter }) {
    const service = await connect(options, sources);
    const { id } = await productNamed(service, name);
    const params = { bundle_id: (await bundleOf(service, id, version)).id };
    await service.call('bundles.setState', { params, body: { state: 'published' } });
    const { value } = await service.call('bundles.get', { params });
    reporter.event('bundle', value, `Bundle ${value.version} is ${stateText(value)}`);
  },
});

export const bundlesArchiveCommand = defineCliCommand({
  name: 'archive',
  parent,
  summary: 'Archive a bundle: it is offered no more, and devices that run it stay with it',
  arguments: [productArgument, versionArgument],
  options: {
    ...clientOptions,
    'abort-rollouts': { kind: 'switch', help: 'abort first the rollouts that bring it' },
  },
  async run({ options, args: [name = '', version = ''], reporter }) {
    const service = await connect(options, sources);
    const { id } = await productNamed(service, name);
    const params = { bundle_id: (await bundleOf(service, id, version)).id };
    const body = { state: 'archive', abort_rollouts: options['abort-rollouts'] } as const;
    await service.call('bundles.setState', { params, body });
    const { value } = await service.call('bundles.get', { params });
    reporter.event('bundle', value, `Bundle ${value.version} is ${stateText(value)}`);
  },
});

export const bundlesTagCommand = defineCliCommand({
  name: 'tag',
  parent,
  summary: 'Move a tag to a published bundle; devices that follow it get this bundle',
  arguments: [productArgument, versionArgument, { name: 'TAG', help: `${tags.join(', ')}, or none` }],
  options: {
    ...clientOptions,
    'dry-run': { kind: 'switch', help: 'only say which devices it would move' },
  },
  async run({ options, args: [name = '', version = '', text = ''], reporter }) {
    const tag = text === 'none' ? '' : wordOf(tags, text, 'Argument TAG');
    const service = await connect(options, sources);
    const { id } = await productNamed(service, name);
    const params = { bundle_id: (await bundleOf(service, id, version)).id };
    if (options['dry-run']) {
      const body = tag === '' ? { change: 'untag' as const, ...params } : { change: 'tag' as const, tag, ...params };
      const { value } = await service.call('rollouts.reach', { params: { product_id: id }, body });
      return reporter.event('reach', value, describeReach(value));
    }
    await service.call('bundles.setTag', { params, body: { tag } });
    const { value } = await service.call('bundles.get', { params });
    reporter.event('bundle', value, `Bundle ${value.version} is ${stateText(value)}`);
  },
});
