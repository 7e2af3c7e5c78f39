import type { RolloutRecord } from '@moorage/api';
import { bundleNamed, productNamed } from '../client/lookups.ts';
import { clientOptions, connect, type FieldSources, type ServiceClient } from '../client/service-client.ts';
import { defineCliCommand } from '../command-line/define.ts';
import type { Resolved } from '../command-line/options.ts';
import type { Reporter } from '../command-line/output.ts';
import { reportRows } from '../command-line/table.ts';
import { readSettings, type SettingsChoice, settingsOptions, settingsSources } from '../rollouts/settings.ts';
import { describeReach, describeRollout, rolloutRows } from '../rollouts/texts.ts';

export const rolloutArgument = { name: 'ROLLOUT', help: 'id of the rollout' } as const;

/** What a refusal names, for commands that take a rollout. */
export const rolloutSources: FieldSources = [['rollout_id', 'Argument ROLLOUT']];

/** Reports a rollout: its record in JSON, and all there is to say in prose. */
export const reportRollout = (reporter: Reporter, rollout: RolloutRecord): void =>
  reporter.event('rollout', rollout, describeRollout(rollout));

const draftOptions = {
  ...clientOptions,
  filter: {
    kind: 'text',
    placeholder: 'FILTER',
    help: 'of the devices, in RSQL: label.region==eu',
    defaultText: 'all',
  },
  ...settingsOptions,
} as const;

const draftArguments = [
  { name: 'PRODUCT', help: 'code or id of the product' },
  { name: 'BUNDLE', help: 'version, tag or id of a published bundle' },
] as const;

/** A draft is the body of a request, or its field `rollout`. */
const draftSources = (flags: Resolved<typeof settingsOptions>): FieldSources =>
  [
    ...settingsSources(flags),
    ['filter', 'Option --filter'],
    ['priority', 'Option --priority'],
    ['title', 'Option --title'],
    ['bundle_id', 'Argument BUNDLE'],
    ['product_id', 'Argument PRODUCT'],
  ].flatMap(([field = '', option = '']) => [[field, option] as const, [`rollout.${field}`, option] as const]);

interface Draft {
  readonly service: ServiceClient;
  readonly settings: SettingsChoice;
  readonly product_id: string;
  readonly bundle: { readonly id: string; readonly version: string };
  readonly filter: { readonly filter?: string };
}

/** What both drafting and previewing begin with. What can be wrong here is looked at before the service is asked. */
async function readDraft(
  options: Resolved<typeof draftOptions>,
  [product = '', bundle = '']: readonly string[],
): Promise<Draft> {
  const settings = await readSettings(options);
  const service = await connect(options, draftSources(options));
  const { id: product_id } = await productNamed(service, product);
  return {
    service,
    settings,
    product_id,
    bundle: await bundleNamed(service, product_id, bundle, 'Argument BUNDLE'),
    filter: options.filter === undefined ? {} : { filter: options.filter },
  };
}

export const rolloutCreateCommand = defineCliCommand({
  name: 'create',
  parent: 'rollout',
  summary: 'Draft a rollout of a bundle to the devices of a product; nothing is offered before it is started',
  arguments: draftArguments,
  options: {
    ...draftOptions,
    title: { kind: 'text', placeholder: 'TITLE', help: 'what it is called', defaultText: 'the version' },
    priority: {
      kind: 'count',
      placeholder: 'NUMBER',
      default: 0,
      help: 'the highest of the rollouts of a device wins',
    },
    start: { kind: 'switch', help: 'start it at once' },
  },
  async run({ options, args, reporter }) {
    const { service, settings, product_id, bundle, filter } = await readDraft(options, args);
    const { title = `Version ${bundle.version}`, priority } = options;
    const body = { title, bundle_id: bundle.id, priority, ...settings, ...filter };
    const { value: drafted } = await service.call('rollouts.create', { params: { product_id }, body });
    if (!options.start) return reportRollout(reporter, drafted);
    const params = { rollout_id: drafted.id };
    reportRollout(reporter, (await service.call('rollouts.act', { params, body: { action: 'start' } })).value);
  },
});

export const rolloutPreviewCommand = defineCliCommand({
  name: 'preview',
  parent: 'rollout',
  summary: 'Count what a rollout would reach, stage by stage; nothing is kept',
  arguments: draftArguments,
  options: draftOptions,
  async run({ options, args, reporter }) {
    const { service, settings, product_id, bundle, filter } = await readDraft(options, args);
    const draft = { title: 'Preview', bundle_id: bundle.id, ...settings, ...filter };
    const body = { change: 'rollout', rollout: draft } as const;
    const { value } = await service.call('rollouts.reach', { params: { product_id }, body });
    reporter.event('reach', value, describeReach(value));
  },
});

export const rolloutListCommand = defineCliCommand({
  name: 'list',
  parent: 'rollout',
  summary: 'List the rollouts of a product, or of every product that you manage, the newest first',
  arguments: [{ name: 'PRODUCT', help: 'code or id of the product', optional: true }],
  options: clientOptions,
  async run({ options, args: [name], reporter }) {
    const service = await connect(options);
    const product = name === undefined ? undefined : await productNamed(service, name);
    const rollouts = await service.all((query) =>
      product
        ? service.call('rollouts.list', { params: { product_id: product.id }, query })
        : service.call('rollouts.listAll', { query }),
    );
    reportRows(reporter, rolloutRows, rollouts);
  },
});

export const rolloutShowCommand = defineCliCommand({
  name: 'show',
  parent: 'rollout',
  summary: 'Show a rollout: its stages, what failed, and how far it is from stopping',
  arguments: [rolloutArgument],
  options: clientOptions,
  async run({ options, args: [rollout_id = ''], reporter }) {
    const service = await connect(options, rolloutSources);
    reportRollout(reporter, (await service.call('rollouts.get', { params: { rollout_id } })).value);
  },
});
