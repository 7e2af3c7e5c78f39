import { failure, type Result, success } from '@moorage/base';
import { type Model, parseModel } from '@moorage/module/model/model';
import { schemaMistake } from '@moorage/module/model/schema-mistake';
import { loadPersonality, type Personality } from '@moorage/module/personality/personality';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

const dayS = 86_400;
const weekS = 7 * dayS;

const closed = { additionalProperties: false } as const;
const count = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }));
const percent = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 100, description }));
const Version = (description: string) => Type.String({ pattern: '^\\d{1,5}(\\.\\d{1,5}){3}$', description });

const Away = Type.Object(
  {
    every_s: Type.Integer({ minimum: 1, maximum: weekS, description: 'from one loss of the network to the next' }),
    for_s: Type.Integer({ minimum: 1, maximum: weekS, description: 'how long it is gone; less than `every_s`' }),
  },
  { ...closed, description: 'hours without a network; when they begin is drawn for each module' },
);

const Link = Type.Object(
  {
    latency_ms: count(0, 60_000, 'that bytes take in either direction'),
    jitter_ms: count(0, 60_000, 'up to so much more, drawn for each piece'),
    bytes_per_s: count(16, 1_000_000_000, 'how fast bytes go in either direction'),
    lost_percent: percent('of all connections: never answered, or cut somewhere'),
    away: Type.Optional(Away),
  },
  { ...closed, description: 'the way to the service' },
);

const Power = Type.Object(
  {
    cuts_per_day: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1440, description: 'times that the power goes, at times that are drawn' }),
    ),
    off_s: count(1, weekS, 'how long it stays away; 10 without it'),
    sleeps: Type.Optional(Type.Boolean({ description: 'the module sleeps between two polls, its radio off' })),
  },
  closed,
);

const Clock = Type.Object(
  {
    skew_s: count(0, 365 * dayS, 'up to so much early or late, drawn for each module'),
    drift_ppm: count(0, 100_000, 'up to so much too fast or too slow, drawn for each module, in millionths'),
  },
  { ...closed, description: 'the clock of a module' },
);

const Flash = Type.Object(
  {
    free_bytes: count(
      16_384,
      134_217_728,
      'free in its extended flash at the factory, in whole units of 4096; its certificate takes three',
    ),
    bad_writes_percent: percent('of the files that an update writes: the write fails, and the module restarts'),
  },
  closed,
);

const Host = Type.Object(
  {
    samples_every_s: count(1, weekS, 'a sample of the stream "level"; needs --username'),
    messages_every_s: count(1, weekS, 'a message to its owner; needs --username'),
    message_bytes: count(1, 4096, 'length of each message; 64 without it'),
  },
  { ...closed, description: 'what the software of its host does' },
);

/** What a bad version does to a module that has installed it. */
const faultWords = ['does_not_boot', 'reports_old', 'never_back'] as const;

const Failure = Type.Object(
  {
    version: Version('of the bundle'),
    fault: Type.Enum([...faultWords], {
      description:
        'does_not_boot: comes back with what it ran before, and reports the failure; reports_old: the same, and reports ' +
        'nothing but the old version; never_back: is not heard of again',
    }),
    percent: percent('of the modules of the group; all without it'),
  },
  closed,
);

const Group = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 40, description: 'in the title of each of its devices' }),
    share: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1_000_000,
      description: 'of the fleet, in proportion to the others',
    }),
    model: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'keys of a model file; the part id is the platform’s',
      }),
    ),
    personality: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'keys of a personality file' }),
    ),
    version: Type.Optional(Version('of the published bundle that it installs first of all, as `ota -b` does')),
    poll_s: count(1, weekS, 'between two polls, 60 without it; sooner when the service says so'),
    link: Type.Optional(Link),
    power: Type.Optional(Power),
    clock: Type.Optional(Clock),
    flash: Type.Optional(Flash),
    host: Type.Optional(Host),
    failures: Type.Optional(Type.Array(Failure, { maxItems: 20, description: 'what bad versions do to it' })),
  },
  closed,
);

/** What a fleet is: groups of modules, and what each has to bear. */
export const Scenario = Type.Object(
  {
    $schema: Type.Optional(Type.String({ maxLength: 500, description: 'for editors' })),
    title: Type.Optional(Type.String({ maxLength: 200 })),
    groups: Type.Array(Group, { minItems: 1, maxItems: 50 }),
  },
  closed,
);

export type GroupSettings = Static<typeof Group>;
export type LinkSettings = Static<typeof Link>;
export type Fault = (typeof faultWords)[number];

/** A group with what its texts mean. */
export interface FleetGroup extends Omit<GroupSettings, 'model' | 'personality'> {
  readonly model: Model;
  readonly personality: Personality;
}

export interface FleetScenario {
  readonly groups: readonly FleetGroup[];
}

/** The network that all modules join, and what no module of a fleet asks of the world by itself. */
const fleetVariables = { 'wlan.ssid': 'harbour-open', 'ntp.enabled': '0', 'broadcast.interval': '0' } as const;

/** Without a scenario: one group of modules that nothing happens to. */
export const plainScenario: FleetScenario = must(parseScenario('{"groups": [{"name": "fleet", "share": 1}]}'));

function must<T>(read: Result<T, string>): T {
  if (read.ok) return read.value;
  throw new Error(read.error);
}

/** Reads a scenario file. The refusal is one sentence that names the first wrong key and its value. */
export function parseScenario(json: string): Result<FleetScenario, string> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    return failure(`It is not JSON: ${(cause as Error).message}`);
  }
  if (!Value.Check(Scenario, value)) return failure(schemaMistake(Value.Errors(Scenario, value), value));
  const groups: FleetGroup[] = [];
  for (const [index, given] of value.groups.entries()) {
    const group = readGroup(given, `groups.${index}`);
    if (!group.ok) return group;
    if (groups.some(({ name }) => name === given.name)) {
      return failure(`Key "groups.${index}.name" is "${given.name}", which another group is called`);
    }
    groups.push(group.value);
  }
  return success({ groups });
}

function readGroup(given: GroupSettings, place: string): Result<FleetGroup, string> {
  const { model: board = {}, personality: firmware = {}, ...others } = given;
  const away = given.link?.away;
  if (away && away.for_s >= away.every_s) {
    return failure(`Key "${place}.link.away.for_s" is ${away.for_s} and must be less than "every_s", ${away.every_s}`);
  }
  const versions = given.failures?.map(({ version }) => version) ?? [];
  const twice = versions.findIndex((version, index) => versions.indexOf(version) !== index);
  if (twice >= 0) {
    return failure(`Key "${place}.failures.${twice}.version" is "${versions[twice]}", which is there already`);
  }
  const model = parseModel(JSON.stringify(board));
  if (!model.ok) return failure(`Key "${place}.model": ${model.error}`);
  const named = typeof board.name === 'string' ? model.value : { ...model.value, name: given.name };
  const { variableDefaults, ...traits } = firmware;
  const defaults = typeof variableDefaults === 'object' ? { ...fleetVariables, ...variableDefaults } : variableDefaults;
  const personality = loadPersonality(
    JSON.stringify({ ...traits, variableDefaults: variableDefaults === undefined ? fleetVariables : defaults }),
  );
  if (!personality.ok) return failure(`Key "${place}.personality": ${personality.error}`);
  return success({ ...others, model: named, personality: personality.value });
}
