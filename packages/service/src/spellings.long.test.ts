import { randomInt } from 'node:crypto';
import {
  callUrl,
  contract,
  deviceListenerContract,
  type EndpointShape,
  endpointsOf,
  isBinary,
  type Spelling,
  spellingKeyword,
} from '@moorage/api';
import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { softwarePlatform } from './core/devices/rules.ts';
import { buildApp, eachDatabase, type TestApp } from './testing/index.ts';
import { injectAny } from './testing/inject-events.ts';
import {
  address,
  alone,
  type Input,
  inputOf,
  letters,
  openScene,
  paramsOf,
  type Scene,
} from './testing/spelling-scene.ts';

const parts = ['params', 'query', 'body'] as const;
type Part = (typeof parts)[number];

/** One parameter of an endpoint that clients may spell in several ways. */
interface Place {
  readonly name: string;
  readonly shape: EndpointShape;
  readonly part: Part;
  readonly path: readonly string[];
  readonly spelling: Spelling;
}

interface Node {
  readonly [spellingKeyword]?: Spelling;
  readonly type?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

type Leaf = readonly [path: readonly string[], node: Node];

/** The texts in a schema. */
function leavesOf(node: Node, path: readonly string[] = []): Leaf[] {
  const branches = (node.anyOf ?? []).flatMap((branch) => leavesOf(branch, path));
  const fields = Object.entries(node.properties ?? {}).flatMap(([name, field]) => leavesOf(field, [...path, name]));
  const items = node.items ? leavesOf(node.items, [...path, '0']) : [];
  return [
    ...(node.type === 'string' && node.const === undefined ? [[path, node] as const] : []),
    ...branches,
    ...fields,
    ...items,
  ];
}

/** The object is kept as telemetry, as it was sent; the route looks the device up by the name as records spell it. */
const keptAsSent: Readonly<Record<string, Spelling>> = {
  'broadcasts.receive body.uuid': 'device',
  'broadcasts.receive body.mac': 'device',
};

const endpoints = endpointsOf({
  ...contract,
  ...Object.fromEntries(Object.entries(deviceListenerContract).map(([name, of]) => [`listener.${name}`, of])),
});

const texts = endpoints.flatMap(({ name, shape }) =>
  parts.flatMap((part) => {
    const schema = shape[part];
    // Safe: a schema is an object of keywords.
    const leaves = schema && !isBinary(schema) ? leavesOf(schema as Node) : [];
    return leaves.map(([path, node]) => {
      const spelling = node[spellingKeyword] ?? keptAsSent[`${name} ${part}.${path.join('.')}`];
      return { name, shape, part, path, spelling };
    });
  }),
);
const places = texts.filter((one): one is Place => one.spelling !== undefined);

/** Names of parameters that are ids, addresses or codes. */
const speltNames = /(^|_)(id|ids|uuid|mac|addr|identifier|code|bid)$/;

/** What shows the effect of calls whose own answer does not. */
const effects: Readonly<Record<string, (app: TestApp, scene: Scene) => Promise<unknown>>> = {
  'listener.ota.query': ({ client }, { caller, device }) =>
    client.as(caller.token).call('devices.get', { params: { identifier: device } }),
  'gateways.report': ({ client }, { caller }) => client.as(caller.token).call('gateways.found'),
};

const placeName = ({ name, part, path }: Place): string => `${name} ${part}.${path.join('.')}`;

type Tree = Record<string, unknown>;

const valueAt = (input: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Tree | undefined)?.[step], input);

/** A copy with another value at the path. */
function changed(input: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(input))
    return input.map((one, index) => (String(index) === step ? changed(one, rest, value) : one));
  const tree = (input ?? {}) as Tree;
  return { ...tree, [step]: changed(tree[step], rest, value) };
}

/** The request of a place, and the value that it has there. */
function goodInput(place: Place, scene: Scene): { readonly input: Required<Input>; readonly value: string } {
  const { params, query, body } = inputOf(place.name, place.shape, scene);
  const input = { params: { ...paramsOf(scene), ...params }, query: query ?? {}, body };
  const value = alone[placeName(place)]?.(scene) ?? valueAt(input[place.part], place.path);
  if (typeof value !== 'string') throw new Error(`${placeName(place)} has no good value`);
  return { input, value };
}

const mixed = (text: string): string =>
  [...text].map((letter, at) => (at % 2 ? letter.toUpperCase() : letter.toLowerCase())).join('');
const bare = (mac: string): string => mac.replaceAll(':', '');

/** Other ways to spell a value; those of a device's other names among them. */
const variants: Readonly<Record<Spelling, (value: string, scene: Scene) => readonly string[]>> = {
  id: (value) => [value.toUpperCase(), mixed(value)],
  code: (value) => [value.toLowerCase(), mixed(value)],
  mac: (value) => [
    value.toLowerCase(),
    value.replaceAll(':', '-'),
    bare(value),
    bare(value)
      .toLowerCase()
      .replace(/(....)(?=.)/g, '$1.'),
  ],
  device: (_, { device, uuid, mac }) => [
    device.toUpperCase(),
    uuid.toUpperCase(),
    bare(mac).toLowerCase(),
    uuid,
    mac,
    ...variants.mac(mac, {} as Scene),
  ],
};

/** A value of the same form that names nothing. */
const stranger: Readonly<Record<Spelling, (value: string) => string>> = {
  id: (value) => [...value].map((digit) => (/[0-9a-f]/.test(digit) ? randomInt(16).toString(16) : digit)).join(''),
  device: (value) => stranger.id(value),
  mac: () => address(),
  code: () => letters(),
};

/** A response without what differs from scene to scene: its things by their names, other numbers in texts as `#`. */
function plainly(text: string, scene: Scene): string {
  const things = Object.entries({ ...scene, caller: scene.caller.id, owner: scene.owner.id });
  // The longest first: one may be a part of another.
  const named = things.filter(([, value]) => value.length > 3).sort(([, one], [, other]) => other.length - one.length);
  return (
    named
      .reduce((plain, [name, value]) => plain.replaceAll(value, `<${name}>`), text)
      .replaceAll(/-----BEGIN[^"]*/g, '<pem>')
      .replaceAll(/"(token|title|password)":"[^"<]*"/g, '"$1":"<text>"')
      .replaceAll(/"update":\{"id":\d+/g, '"update":{"id":"<number>"')
      .replaceAll(/"product":"[^"]*-/g, '"product":"<owner>-')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
      // It is spread by chance.
      .replaceAll(/"next_poll_s":\d+/g, '"next_poll_s":0')
      .replaceAll(/(?<!":)(?<!\d)\d+/g, '#')
  );
}

/** Sends the request of a place with a value, in a scene of its own. */
async function responseTo(app: TestApp, place: Place, scene: Scene, value: string): Promise<string> {
  const { name, shape, part, path } = place;
  const { input } = goodInput(place, scene);
  const sent = { ...input, [part]: changed(input[part], path, value) } as Required<Input>;
  const isDevice = name.startsWith('listener.');
  const request: InjectOptions = {
    // Safe: only the contract's methods.
    method: shape.method as NonNullable<InjectOptions['method']>,
    url: callUrl(shape, sent),
    headers: {
      ...(isDevice
        ? { 'x-device-uuid': scene.uuid, 'x-device-token': scene.secret, host: 'hub.local' }
        : { authorization: `Bearer ${scene.caller.token}` }),
      ...(Buffer.isBuffer(sent.body) && { 'content-type': 'image/png' }),
    },
    ...(sent.body !== undefined && { payload: sent.body as object }),
  };
  const reply = await injectAny(isDevice ? app.service.devices : app.api, shape, request);
  const record = await effects[name]?.(app, scene);
  const total = reply.headers['x-total-count'];
  return `${reply.statusCode} ${plainly(`"total":${total ?? 0} ${reply.payload} ${JSON.stringify(record ?? '')}`, scene)}`;
}

describe('parameters that are ids, addresses or codes', () => {
  it('say so in the contract', () => {
    const silent = texts.filter(
      ({ name, path, spelling }) =>
        spelling === undefined &&
        speltNames.test(path.findLast((step) => step !== '0') ?? '') &&
        // The code of a second factor is a secret, and what passkeys are called tells capital letters apart.
        !/^(factors|passkeys|proof)\./.test(name),
    );
    const names = silent.map(({ name, part, path }) => `${name} ${part}.${path.join('.')}`);
    expect(names).toEqual([]);
    expect(places.length).toBeGreaterThan(100);
  });
});

// API-RULE-ids-1, API-RULE-ids-2
eachDatabase('spelling of parameters', (open) => {
  it.each(parts)('does not matter, parameter by parameter of the %s', async (part) => {
    const app = await buildApp(await open(), { settings: { deviceInsecure: true } });
    await app.service.devices.ready();
    const software = await app.make.platform({ code: softwarePlatform, part_id: null });
    const wrong: string[] = [];
    const reading = await openScene(app, software.id);
    let scene = await openScene(app, software.id);
    for (const place of places.filter((one) => one.part === part)) {
      const isReading = place.shape.method === 'GET';
      const say = async (spell: (value: string, scene: Scene) => string) => {
        const used = isReading ? reading : scene;
        const response = await responseTo(app, place, used, spell(goodInput(place, used).value, used));
        // A scene serves until a call has changed it.
        if (!isReading && response.startsWith('200')) scene = await openScene(app, software.id);
        return response;
      };
      const good = await say((value) => value);
      if (/^5|INVALID_REQUEST/.test(good)) wrong.push(`${placeName(place)}: ${good}`);
      if ((await say(stranger[place.spelling])) === good) wrong.push(`${placeName(place)} changes nothing: ${good}`);
      const all = variants[place.spelling]('', { device: '', uuid: '', mac: '' } as Scene).length;
      // What changes things is asked in a scene of its own each time, and so in fewer ways.
      const count = isReading || place.spelling === 'mac' ? all : Math.ceil(all / 4);
      for (let number = 0; number < count; number++) {
        let sent = '';
        const other = await say((value, scene) => {
          sent = variants[place.spelling](value, scene)[number] ?? '';
          return sent;
        });
        if (other !== good) wrong.push(`${placeName(place)} as "${sent}": ${other} instead of ${good}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
