import type { RolloutAction } from '@moorage/api';
import { defined } from '@moorage/base';
import { bundleNamed, productNamed } from '../client/lookups.ts';
import { clientOptions, connect, type ServiceClient } from '../client/service-client.ts';
import { type CliCommand, defineCliCommand, UserError } from '../command-line/define.ts';
import { describeRollout } from '../rollouts/texts.ts';
import { reportRollout, rolloutArgument, rolloutSources } from './rollout.ts';

/** What a person does with a rollout in one word. */
const acts: readonly { readonly name: string; readonly action: RolloutAction; readonly summary: string }[] = [
  {
    name: 'start',
    action: 'start',
    summary: 'Start a rollout that is drafted, or ask another manager for its approval',
  },
  { name: 'approve', action: 'approve', summary: 'Approve a rollout of another manager, which starts it' },
  {
    name: 'reject',
    action: 'reject',
    summary: 'Give a rollout that waits for approval back to its author, as a draft',
  },
  { name: 'cancel', action: 'cancel', summary: 'End a rollout that has not begun' },
  { name: 'pause', action: 'pause', summary: 'Pause a rollout: nothing new is offered, and what is under way goes on' },
  { name: 'resume', action: 'resume', summary: 'Let a paused rollout go on' },
  { name: 'next-stage', action: 'pass', summary: 'Begin the next stage, whatever the gate says' },
  { name: 'abort', action: 'abort', summary: 'End a rollout; devices keep what they have' },
];

export const rolloutActCommands: readonly CliCommand[] = acts.map(({ name, action, summary }) =>
  defineCliCommand({
    name,
    parent: 'rollout',
    summary,
    arguments: [rolloutArgument],
    options: clientOptions,
    async run({ options, args: [rollout_id = ''], reporter }) {
      const service = await connect(options, rolloutSources);
      const { value } = await service.call('rollouts.act', { params: { rollout_id }, body: { action } });
      reportRollout(reporter, value);
    },
  }),
);

const bundleOption = (help: string, defaultText: string) =>
  ({ kind: 'text', placeholder: 'BUNDLE', help, defaultText }) as const;

export const rolloutRollBackCommand = defineCliCommand({
  name: 'roll-back',
  parent: 'rollout',
  summary: 'End a rollout; the devices that it moved get the version that each had, or a bundle that is named',
  arguments: [rolloutArgument],
  options: {
    ...clientOptions,
    bundle: bundleOption(
      'version, tag or id of a published bundle, for the devices that were moved',
      'what each had, else its tag or the release',
    ),
  },
  async run({ options, args: [rollout_id = ''], reporter }) {
    const service = await connect(options, [...rolloutSources, ['bundle_id', 'Option --bundle']]);
    const params = { rollout_id };
    const bundle_id = await namedFor(service, rollout_id, options.bundle);
    const body = { action: 'roll_back', ...(bundle_id !== undefined && { bundle_id }) } as const;
    reportRollout(reporter, (await service.call('rollouts.act', { params, body })).value);
  },
});

/** The id of a bundle that `--bundle` names for a rollout, if it does. */
async function namedFor(
  service: ServiceClient,
  rollout_id: string,
  name: string | undefined,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const { product_id } = (await service.call('rollouts.get', { params: { rollout_id } })).value;
  return (await bundleNamed(service, product_id, name, 'Option --bundle')).id;
}

export const rolloutRetryCommand = defineCliCommand({
  name: 'retry',
  parent: 'rollout',
  summary: 'Let the failed devices of a rollout wait again, for another bundle if one is named, and go on',
  arguments: [rolloutArgument],
  options: { ...clientOptions, bundle: bundleOption('version, tag or id of a published bundle', 'the same') },
  async run({ options, args: [rollout_id = ''], reporter }) {
    const service = await connect(options, [...rolloutSources, ['bundle_id', 'Option --bundle']]);
    const params = { rollout_id };
    const bundle_id = await namedFor(service, rollout_id, options.bundle);
    const body = bundle_id === undefined ? {} : { bundle_id };
    reportRollout(reporter, (await service.call('rollouts.retry', { params, body })).value);
  },
});

export const rolloutLeaveOutCommand = defineCliCommand({
  name: 'leave-out',
  parent: 'rollout',
  summary: 'Leave the devices that still wait out of a rollout: all, or those that were not seen for some days',
  arguments: [rolloutArgument],
  options: {
    ...clientOptions,
    unseen: { kind: 'count', placeholder: 'DAYS', help: 'those that were not seen for so long', defaultText: 'all' },
  },
  async run({ options, args: [rollout_id = ''], reporter }) {
    const service = await connect(options, [...rolloutSources, ['unseen_days', 'Option --unseen']]);
    const body = defined({ unseen_days: options.unseen });
    const { value } = await service.call('rollouts.leaveOut', { params: { rollout_id }, body });
    reporter.event('rollout', value.rollout, `${value.left_out} devices left out\n${describeRollout(value.rollout)}`);
  },
});

export const rolloutSignalCommand = defineCliCommand({
  name: 'signal',
  parent: 'rollout',
  summary: 'Say from outside that the next stage may begin, or with --stop that it may not, which pauses the rollout',
  arguments: [rolloutArgument],
  options: {
    ...clientOptions,
    stop: { kind: 'switch', help: 'pause the rollout' },
    reason: { kind: 'text', placeholder: 'TEXT', help: 'that others read', defaultText: 'none' },
  },
  async run({ options, args: [rollout_id = ''], reporter }) {
    const service = await connect(options, [...rolloutSources, ['reason', 'Option --reason']]);
    const { stop, reason } = options;
    const body = { pass: !stop, ...(reason !== undefined && { reason }) };
    reportRollout(reporter, (await service.call('rollouts.signal', { params: { rollout_id }, body })).value);
  },
});

const stopArguments = [{ name: 'PRODUCT', help: 'code or id of the product', optional: true }] as const;

const allOption = { kind: 'switch', help: 'of every product; for administrators' } as const;

/** The product that is meant; `undefined` for all. @throws {UserError} unless it is one of both */
function stoppedProduct(name: string | undefined, all: boolean): string | undefined {
  if ((name === undefined) === all) return all ? undefined : name;
  throw new UserError('One of PRODUCT and --all has to say what is meant', 2);
}

export const rolloutStopCommand = defineCliCommand({
  name: 'stop',
  parent: 'rollout',
  summary: 'Emergency stop: pause every rollout of a product and freeze it; "moorage rollout thaw" ends the freeze',
  arguments: stopArguments,
  options: {
    ...clientOptions,
    all: allOption,
    reason: { kind: 'text', placeholder: 'TEXT', default: 'By command', help: 'that others read' },
  },
  async run({ options, args: [name], reporter }) {
    const wanted = stoppedProduct(name, options.all);
    const service = await connect(options, [['reason', 'Option --reason']]);
    const body = { reason: options.reason };
    if (wanted === undefined) {
      const { value } = await service.call('rollouts.stopAll', { body });
      const text = `Everything is frozen: ${value.frozen} products more than before; rollouts paused: ${value.paused}`;
      return reporter.event('stopped', value, text);
    }
    const { id: product_id, product } = await productNamed(service, wanted);
    const { value } = await service.call('rollouts.stop', { params: { product_id }, body });
    reporter.event('stopped', { product, ...value }, `${product} is frozen; rollouts paused: ${value.paused}`);
  },
});

export const rolloutThawCommand = defineCliCommand({
  name: 'thaw',
  parent: 'rollout',
  summary:
    'End the freeze of a product, or that of "moorage rollout stop --all"; what was paused is resumed one by one',
  arguments: stopArguments,
  options: { ...clientOptions, all: allOption },
  async run({ options, args: [name], reporter }) {
    const wanted = stoppedProduct(name, options.all);
    const service = await connect(options);
    if (wanted === undefined) {
      const { value } = await service.call('rollouts.liftStop', {});
      return reporter.event(
        'thawed',
        value,
        `The stop of everything is lifted: ${value.thawed} products are not frozen any more`,
      );
    }
    const { id: product_id, product } = await productNamed(service, wanted);
    await service.call('rollouts.thaw', { params: { product_id } });
    reporter.event('thawed', { product }, `${product} is not frozen any more`);
  },
});
