import { type Store, seededRandom, unwrap } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { ChannelPeer } from '@moorage/device/testing/channel-peer';
import { type PeerBundle, ServicePeer } from '@moorage/device/testing/service-peer';
import { type ModuleNotice, RepresentedModule } from '../adopted/represent.ts';
import { Slots } from '../adopted/slots.ts';
import type { Measured } from '../adopted/streams.ts';
import { type GatewayRigOptions, gatewayRig } from './gateway-rig.ts';

export const bundle: PeerBundle = {
  id: '22222222-2222-4222-8222-222222222222',
  version: '1.0.0.2',
  files: [
    { name: 'webapp/page.html', content: Buffer.from('<h1>New</h1>\r\n> '.repeat(60)), version: '1.0.0.2' },
    { name: 'boot.script', content: Buffer.from('set user.data new\r\nsave\r\n'), type: 0xfd },
    { name: 'added.txt', content: Buffer.from('added') },
  ],
};

/** What the module holds before. */
const oldPage = '<h1>Old</h1>'.repeat(30);

/** Names that the bundle changes, and what is under them. */
export type Held = Readonly<Record<string, string | undefined>>;
export const oldSet: Held = { 'webapp/page.html': oldPage, 'boot.script': undefined, 'added.txt': undefined };
export const newSet: Held = Object.fromEntries(
  bundle.files.map(({ name, content }) => [name, Buffer.from(content).toString()]),
);

interface AdoptedRigOptions extends GatewayRigOptions {
  readonly at?: string;
  readonly measured?: Measured;
  /** Where the gateway keeps what it knows of the module. */
  readonly own?: Store;
}

/** Whether the module answers, as the gateway has said last. */
export const isThere = (notices: readonly ModuleNotice[]): boolean =>
  notices.findLast(({ type }) => type === 'online' || type === 'offline')?.type === 'online';

/** A module that has only what a real one has, a gateway that has adopted it, and a service. `at` is another address for it. */
export async function adoptedRig({ at, measured, own, ...options }: AdoptedRigOptions = {}) {
  const rig = await gatewayRig({ files: { 'webapp/page.html': oldPage }, ...options });
  const { clock, network, ports, until } = rig;
  const peer = new ServicePeer();
  await peer.attach(network.attach('service.test', '10.9.9.9'));
  const channel = new ChannelPeer(peer);
  channel.answer = ({ id }) => (id === undefined ? undefined : { id, data: null });
  const backups: string[] = [];
  const notices: ModuleNotice[] = [];
  /** Called with each step of a push, as it begins. */
  const hooks = { step: (_text: string): void => {} };
  const { mac, uuid } = rig.module.identity;
  const powerOn = async (store: Store, streams = measured) =>
    RepresentedModule.open({
      ports,
      random: seededRandom(1),
      store,
      place: { address: at ?? rig.address, mac, ...rig.options },
      uuid,
      version: rig.module.versionLine,
      measured: streams,
      slots: new Slots(1),
      service: { host: 'service.test', port: 443 },
      keepBackup: async (name) => void backups.push(name),
      notify(notice) {
        notices.push(notice);
        if (notice.type === 'step') hooks.step(notice.text);
      },
    });
  const store = new MemoryStore();
  const adopted = await powerOn(own ?? store);
  unwrap(await until(adopted.client.provision('token-1')));
  const steps = (): readonly string[] => notices.flatMap((notice) => (notice.type === 'step' ? [notice.text] : []));
  /** What the module holds under the names of the bundle. */
  const held = async (): Promise<Held> => {
    const names = bundle.files.map(async ({ name }) => {
      const content = await rig.module.flash.readAll(name, 100_000);
      return [name, content.ok ? Buffer.from(content.value).toString() : undefined] as const;
    });
    return Object.fromEntries(await Promise.all(names));
  };
  /** Lets time pass until something is so. */
  const pass = async (isSo: () => boolean, limitMs = 1_800_000): Promise<void> => {
    const untilMs = clock.monotonic() + limitMs;
    while (!isSo() && clock.monotonic() < untilMs) await clock.advance(100);
    if (!isSo()) throw new Error(`It is not so after ${limitMs} ms:\n${steps().join('\n')}`);
  };
  /** Lets time pass as it comes: what is on its way arrives meanwhile. */
  const wait = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) await clock.advance(100);
  };
  return {
    rig,
    clock,
    network,
    peer,
    channel,
    store,
    adopted,
    powerOn,
    backups,
    hooks,
    notices,
    steps,
    held,
    pass,
    wait,
    until,
  };
}
