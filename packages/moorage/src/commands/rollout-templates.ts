import { type FleetSettings, templateNames } from '@moorage/api';
import { productNamed } from '../client/lookups.ts';
import { clientOptions, connect } from '../client/service-client.ts';
import { defineCliCommand } from '../command-line/define.ts';
import { table } from '../command-line/table.ts';
import { wordOf } from '../command-line/words.ts';

export const rolloutTemplatesCommand = defineCliCommand({
  name: 'templates',
  parent: 'rollout',
  summary: 'List the ready settings that --template takes',
  options: clientOptions,
  async run({ options, reporter }) {
    const service = await connect(options);
    const { value } = await service.call('rollouts.templates', {});
    for (const template of value) reporter.event('template', template);
    reporter.say(
      table(
        ['template', 'is called', 'does'],
        value.map(({ name, title, summary }) => [name, title, summary]),
      ),
    );
  },
});

const defaultText = (product: string, { template, settings }: FleetSettings): string => {
  if (template !== null) return `Rollouts of ${product} that name no settings take the template ${template}`;
  if (settings !== null) return `Rollouts of ${product} that name no settings have ones of the product: see --json`;
  return `Rollouts of ${product} have to name their settings`;
};

export const rolloutDefaultCommand = defineCliCommand({
  name: 'default',
  parent: 'rollout',
  summary: 'Show or set the template of rollouts of a product that are made with "--template default"',
  arguments: [{ name: 'PRODUCT', help: 'code or id of the product' }],
  options: {
    ...clientOptions,
    template: { kind: 'text', placeholder: 'NAME', help: 'the template from now on; "none" for no default' },
  },
  async run({ options, args: [name = ''], reporter }) {
    const wanted = wordOf([...templateNames, 'none'], options.template, 'Option --template');
    const service = await connect(options, [['template', 'Option --template']]);
    const { id: product_id, product } = await productNamed(service, name);
    const params = { product_id };
    const { value } =
      wanted === undefined
        ? await service.call('rollouts.fleetSettings', { params })
        : await service.call('rollouts.setFleetSettings', {
            params,
            body: { template: wanted === 'none' ? null : wanted, settings: null },
          });
    reporter.event('default', { product, ...value }, defaultText(product, value));
  },
});
