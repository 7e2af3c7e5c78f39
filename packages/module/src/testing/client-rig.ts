import { type Store, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import type { DeviceEvent } from '@moorage/device';
import { ServicePeer } from '@moorage/device/testing/service-peer';
import { type Conditions, MemoryNetwork, type TlsPair } from '@moorage/net/memory';
import { defaultModel, type Model } from '../model/model.ts';
import { createModule, type Module } from '../module.ts';
import { neutralPersonality, type Personality } from '../personality/personality.ts';

interface ClientRigOptions<S extends Store> {
  readonly store?: S;
  readonly model?: Model;
  /** Epoch milliseconds at which it begins. */
  readonly startMs?: number;
  /** Plain HTTP instead of TLS. */
  readonly insecure?: boolean;
  /** Handshakes; without it, TLS is plain bytes. */
  readonly tls?: TlsPair;
  readonly personality?: Personality;
}

/** A network with a service peer on it, and modules that can be switched off and on over one store. */
export async function clientRig<S extends Store = MemoryStore>(options: ClientRigOptions<S> = {}) {
  const clock = new VirtualClock(options.startMs);
  const network = new MemoryNetwork(clock, options.tls && { tls: options.tls });
  const peer = new ServicePeer();
  await peer.attach(network.attach('ota.test', '10.9.9.9'));
  const net = network.attach('module', '10.5.6.108');

  /** Makes a module over a store and boots it; `events` and `printed` collect its events and notices from now on. */
  const powerOn = async <T extends Store>(store: T) => {
    const service = { host: 'ota.test', port: 443, insecure: options.insecure ?? false };
    const model = options.model ?? defaultModel;
    const { personality = neutralPersonality } = options;
    const module = await createModule({ clock, store, net, seed: 1, model, service, personality });
    const events: DeviceEvent[] = [];
    const printed: string[] = [];
    module.client.onEvent((event) => events.push(event));
    module.log.attach((line) => printed.push(line));
    await module.boot();
    return { module, events, printed, store };
  };

  const first = await powerOn(options.store ?? new MemoryStore());
  await joinable(first.module);
  /** Advances time until a promise has settled; ten minutes of module time are more than any test needs. */
  const until = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false;
    const end = () => {
      settled = true;
    };
    promise.then(end, end);
    for (let step = 0; step < 6000 && !settled; step++) await clock.advance(100);
    if (!settled) throw new Error('The promise did not settle in ten minutes of module time');
    return promise;
  };
  const cutEach = (conditions: (index: number) => Conditions) => {
    let index = 0;
    network.conditions = () => conditions(index++);
  };
  return { clock, network, peer, powerOn, until, cutEach, ...first };
}

/** Lets a module join the open network of the default air. */
async function joinable(module: Module): Promise<void> {
  module.variables.set('wlan.ssid', 'harbour-open');
  await module.variables.save();
}

/** Bytes that differ at every offset a test could confuse. */
export const pattern = (size: number, seed = 7): Uint8Array =>
  Uint8Array.from({ length: size }, (_, index) => (index * seed + (index >> 8)) & 0xff);

export async function contentOf(module: Module, name: string): Promise<Buffer | undefined> {
  const content = await module.flash.readAll(name, 16 * 1024 * 1024);
  return content.ok ? Buffer.from(content.value) : undefined;
}
