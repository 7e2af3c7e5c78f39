import type { FleetParts } from '@moorage/fleet';
import { clientOptions } from '../client/service-client.ts';
import { UserError } from '../command-line/define.ts';
import type { Resolved } from '../command-line/options.ts';
import { checkCount } from '../command-line/words.ts';

/** Settings of `moorage fleet`. */
export const fleetOptions = {
  count: { kind: 'count', placeholder: 'N', default: 10, help: 'modules' },
  ...clientOptions,
  product: { kind: 'text', placeholder: 'CODE', help: 'product that they are activated to: its code or its id' },
  service: {
    kind: 'text',
    placeholder: 'URL',
    help: 'device listener of the service, https://HOST:PORT',
    secret: false,
    defaultText: 'port 8443 of the host of --api',
  },
  scenario: { kind: 'text', placeholder: 'FILE', help: 'what they are and have to bear, as JSON' },
  time: {
    kind: 'text',
    placeholder: 'real|RATIO',
    default: 'real',
    help: 'their clock: real, or so many times as fast',
  },
  until: {
    kind: 'text',
    placeholder: 'updated',
    help: 'end with 0 when all run what they were offered, with 1 after --timeout',
  },
  timeout: { kind: 'count', placeholder: 'S', help: 'longest wait of --until, in seconds (default: none)' },
  state: {
    kind: 'text',
    placeholder: 'DIR',
    help: 'folder of their flash; a second start goes on with the same modules',
  },
  seed: {
    kind: 'count',
    placeholder: 'N',
    help: 'seed of their identities and of all chance (default: another each time)',
  },
  rate: {
    kind: 'count',
    placeholder: 'N',
    help: 'connections that all of them open in a second, at most (default: 50, or one for each 30 of many modules)',
  },
  workers: { kind: 'count', placeholder: 'N', default: 1, help: 'processes that they are spread over' },
  part: { kind: 'text', placeholder: 'I/N', help: 'only each Nth module, from number I on: the rest runs elsewhere' },
  username: { kind: 'text', placeholder: 'NAME', help: 'whose data cloud samples and messages of a scenario are for' },
  password: { kind: 'text', placeholder: 'PASSWORD', help: 'of --username', secret: true },
  'metrics-port': {
    kind: 'port',
    placeholder: 'PORT',
    help: 'figures for Prometheus at /metrics of this port of 127.0.0.1',
  },
} as const;

/** Most processes of one fleet. */
const maxWorkers = 64;
const maxModules = 100_000;

type Given = Resolved<typeof fleetOptions>;

/** The settings, looked at. */
export interface FleetFlags extends Omit<Given, 'part' | 'product' | 'rate'> {
  readonly product: string;
  readonly part: NonNullable<FleetParts['part']>;
  readonly rate: number;
}

const leastRate = 50;
/** Modules that poll each minute need one connection a second for 60 of them; half of the turns are left for the rest. */
const modulesOfATurn = 30;

/** @throws {UserError} for a setting that is impossible */
export function fleetFlags(given: Given): FleetFlags {
  const { count, product, part: partText = '1/1', rate, time, until, workers } = given;
  const wrong = (message: string): never => {
    throw new UserError(message, 2);
  };
  if (product === undefined) return wrong('Option --product is missing');
  checkCount('count', count, maxModules);
  checkCount('workers', workers, maxWorkers);
  if (rate !== undefined && rate < 1) wrong('Option --rate is 0, not a number from 1 on');
  if (until !== undefined && until !== 'updated') wrong(`Option --until is "${until}", not updated`);
  if (given.timeout !== undefined && until === undefined) wrong('Option --timeout is for --until, which is missing');
  // That of the environment may be for other commands.
  const { MOORAGE_PASSWORD, MOORAGE_PASSWORD_FILE } = process.env;
  const isFlag = (MOORAGE_PASSWORD ?? MOORAGE_PASSWORD_FILE) === undefined;
  if (given.password !== undefined && given.username === undefined && isFlag) {
    wrong('Option --password is for --username, which is missing');
  }
  if (time === 'virtual') wrong('Option --time cannot be virtual: the service lives in real time');
  const [, number = '', of = ''] = /^(\d{1,6})\/(\d{1,6})$/.exec(partText) ?? [];
  const part = { number: Number(number) - 1, of: Number(of) };
  if (number === '' || part.number < 0 || part.number >= part.of)
    wrong(`Option --part is "${partText}", not I/N such as 2/4`);
  if (workers > 1 && given.part !== undefined) wrong('Option --part has no use with --workers, which makes the parts');
  const usualRate = Math.max(leastRate, Math.ceil(count / part.of / modulesOfATurn));
  return { ...given, product, part, rate: rate ?? usualRate };
}
