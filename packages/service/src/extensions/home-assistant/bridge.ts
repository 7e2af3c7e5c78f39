import type { DataValue, Refusal } from '@moorage/api';
import type { Result } from '@moorage/base';
import type { ConnectorDeps } from '../../core/connectors/messages.ts';
import { noteUse } from '../../core/connectors/queries.ts';
import { describe } from '../../core/connectors/send.ts';
import { sampleValue } from '../../core/data/rules.ts';
import type { Caller } from '../../engine/http/types.ts';
import type { MqttLink } from '../../engine/outbound/ports.ts';
import {
  type AnnouncedDevice,
  availabilityOf,
  commandOf,
  commandValue,
  configOf,
  stateOf,
  topicsOf,
} from './payloads.ts';
import {
  type AnnouncingConnector,
  announcedDevices,
  announcementsOf,
  controlValues,
  dropAnnouncement,
  noteAnnouncement,
  whereOf,
} from './queries.ts';
import { takeBack } from './retraction.ts';

/** Devices of one connector; those beyond are not announced. */
const devicesLimit = 1_000;
/** Commands of one connector that are under way; more are dropped. */
const commandsLimit = 64;
/** From a change to its message: those that come together are one. In ms. */
const settleMs = 200;
/** Looks in which the values of all devices are read again, for changes that no event has told of. */
const sweepLooks = 30;

export interface BridgeDeps extends ConnectorDeps {
  /** Calls `listener` whenever a device has told something; returns how to stop. */
  readonly watch: (deviceId: string, listener: () => void) => () => void;
  readonly setControl: (change: {
    readonly caller: Caller;
    readonly ip: string;
    readonly device: string;
    readonly name: string;
    readonly value: DataValue;
  }) => Promise<Result<unknown, Refusal>>;
}

/** A device as it has been announced. */
interface Entry {
  device: AnnouncedDevice;
  /** Its values may have changed. */
  isStale: boolean;
  /** Platforms of its components by their names. */
  platforms: ReadonlyMap<string, string>;
  /** What the broker has of it, by topic. */
  readonly said: Map<string, string>;
  readonly unwatch: () => void;
}

/** What makes a bridge another one. */
export const bridgeKey = ({ opts, product, code, user_id }: AnnouncingConnector): string =>
  JSON.stringify([opts, product, code, user_id]);

/** One connector that announces the devices of its product, and what is said to them. */
export class Bridge {
  readonly #deps: BridgeDeps;
  readonly #connector: AnnouncingConnector;
  readonly #placeId: string;
  readonly #topics: ReturnType<typeof topicsOf>;
  readonly #link: MqttLink;
  readonly #entries = new Map<string, Entry>();
  /** One after another: looks, and the messages of changes. */
  #turn: Promise<void> = Promise.resolve();
  #looks = 0;
  #commands = 0;
  #ending = false;
  #error: string | null | undefined;
  #cancelSettling: (() => void) | undefined;

  /** @param placeId where it is noted what is announced */
  constructor(deps: BridgeDeps, connector: AnnouncingConnector, placeId: string) {
    this.#deps = deps;
    this.#connector = connector;
    this.#placeId = placeId;
    const { place, login } = whereOf(connector);
    this.#topics = topicsOf(place);
    const will = { topic: this.#topics.status, payload: 'offline' };
    this.#link = deps.outbound.linkMqtt(
      { ...login, url: place.url, will },
      {
        connected: () => this.#sayAll(),
        message: (topic, payload, isRetained) => this.#message(topic, payload, isRetained),
        failed: (error) => void this.#note(describe(error, login.timeoutMs)),
      },
    );
  }

  /** Compares the devices of the product with what is announced, and publishes what differs. */
  look(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#link.isConnected) return;
      const { db } = this.#deps.storage;
      const devices = new Map((await announcedDevices(db, this.#connector, devicesLimit)).map((one) => [one.id, one]));
      for (const { device_id, uuid } of await announcementsOf(db, this.#placeId)) {
        if (devices.has(device_id)) continue;
        this.#entries.get(device_id)?.unwatch();
        this.#entries.delete(device_id);
        if (await takeBack(this.#link, this.#topics, uuid)) await dropAnnouncement(db, this.#placeId, device_id);
      }
      let index = this.#looks++;
      for (const device of devices.values()) {
        const entry = await this.#entryOf(device);
        entry.device = device;
        entry.isStale ||= index++ % sweepLooks === 0;
        await this.#say(entry);
      }
    });
  }

  /** Ends the connection; devices are shown as unavailable until another goes on, or takes them back. */
  async stop(): Promise<void> {
    this.#ending = true;
    this.#cancelSettling?.();
    await this.#inTurn(async () => {
      await this.#link.retain(this.#topics.status, 'offline');
      for (const { unwatch } of this.#entries.values()) unwatch();
      await this.#link.close();
    });
  }

  /** The broker, or Home Assistant behind it, may have forgotten everything. */
  #sayAll(): void {
    for (const entry of this.#entries.values()) {
      entry.said.clear();
      entry.isStale = true;
    }
    void this.#inTurn(async () => {
      const { commands, birth, status } = this.#topics;
      await this.#link.subscribe([commands, birth, status]);
      await this.#sayStatus();
      await this.#note(null);
    });
    void this.look();
  }

  async #sayStatus(): Promise<void> {
    await this.#link.retain(this.#topics.status, 'online');
  }

  async #entryOf(device: AnnouncedDevice): Promise<Entry> {
    const known = this.#entries.get(device.id);
    if (known) return known;
    await noteAnnouncement(this.#deps.storage.db, this.#placeId, device);
    const unwatch = this.#deps.watch(device.id, () => this.#changed(entry));
    const entry: Entry = { device, isStale: true, platforms: new Map(), said: new Map(), unwatch };
    this.#entries.set(device.id, entry);
    return entry;
  }

  /** Publishes what the broker does not have of a device; what it does not take comes with the next look. */
  async #say(entry: Entry): Promise<void> {
    const { device, said } = entry;
    const { uuid } = device;
    const isNew = said.size === 0;
    const config = configOf(device, this.#topics);
    if (said.get(this.#topics.config(uuid)) !== config.payload) {
      const { payload } = configOf(device, this.#topics, entry.platforms);
      if (!(await this.#link.retain(this.#topics.config(uuid), payload))) return;
      said.set(this.#topics.config(uuid), config.payload);
      entry.platforms = config.platforms;
      entry.isStale = true;
    }
    await this.#sayValue(entry, this.#topics.availability(uuid), availabilityOf(device));
    if (!entry.isStale && !isNew) return;
    entry.isStale = false;
    const { storage } = this.#deps;
    const samples = device.capabilities ? await storage.samples.last(device.id) : new Map();
    const values = new Map([...samples].map(([name, row]) => [name, sampleValue(row)]));
    const controls = await controlValues(storage.db, device.id);
    if (!(await this.#sayValue(entry, this.#topics.state(uuid), stateOf(device, values, controls))))
      entry.isStale = true;
  }

  async #sayValue({ said }: Entry, topic: string, payload: string): Promise<boolean> {
    if (said.get(topic) === payload) return true;
    const isTaken = await this.#link.retain(topic, payload);
    if (isTaken) said.set(topic, payload);
    return isTaken;
  }

  #changed(entry: Entry): void {
    entry.isStale = true;
    this.#cancelSettling ??= this.#deps.clock.after(settleMs, () => {
      this.#cancelSettling = undefined;
      void this.#inTurn(() => this.#sayStale());
    });
  }

  async #sayStale(): Promise<void> {
    const ids = [...this.#entries.values()].filter(({ isStale }) => isStale).map(({ device }) => device.id);
    for (const device of await announcedDevices(this.#deps.storage.db, this.#connector, devicesLimit, ids)) {
      const entry = this.#entries.get(device.id);
      if (!entry) continue;
      entry.device = device;
      await this.#say(entry);
    }
  }

  #message(topic: string, payload: string, isRetained: boolean): void {
    if (topic === this.#topics.birth) {
      if (payload === 'online') this.#sayAll();
      return;
    }
    // The will of a process that went before us may come late.
    if (topic === this.#topics.status) {
      if (payload !== 'online' && !isRetained && !this.#ending) void this.#inTurn(() => this.#sayStatus());
      return;
    }
    const command = commandOf(this.#topics, topic);
    const entry = command && [...this.#entries.values()].find(({ device }) => device.uuid === command.uuid);
    // A command that the broker has kept is from before: doing it again at each connection would undo what came since.
    if (!command || !entry || isRetained) return;
    const value = commandValue(entry.device, command.name, payload);
    if (value === undefined || this.#commands >= commandsLimit) {
      this.#refused(command.name, entry, value === undefined ? 'no value of that control' : 'too many commands');
      return;
    }
    this.#commands++;
    this.#set(entry, command.name, value)
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'A control could not be set'))
      .finally(() => {
        this.#commands--;
      });
  }

  /** In the name of the product's owner, whose rights are judged with each command. */
  async #set(entry: Entry, name: string, value: DataValue): Promise<void> {
    const { user_id, username, role, customer_id, customer_role, code } = this.#connector;
    const client = `connector ${code}`;
    const caller = {
      userId: user_id,
      tokenId: '',
      username,
      role,
      customerId: customer_id,
      customerRole: customer_role,
      client,
    };
    const set = await this.#deps.setControl({ caller, ip: '', device: entry.device.id, name, value });
    if (set.ok) this.#changed(entry);
    else this.#refused(name, entry, set.error.code);
  }

  /** The switch at Home Assistant goes back to what holds. */
  #refused(name: string, entry: Entry, why: string): void {
    const { id } = this.#connector;
    this.#deps.log.warn({ connector: id, device: entry.device.id, control: name, why }, 'A command was refused');
    entry.said.delete(this.#topics.state(entry.device.uuid));
    this.#changed(entry);
  }

  /** Shows with the connector how it goes. */
  async #note(error: string | null): Promise<void> {
    if (this.#error === error) return;
    this.#error = error;
    const { storage, clock, log } = this.#deps;
    await noteUse(storage.db, this.#connector.id, clock.now(), error).catch((cause: unknown) =>
      log.error({ err: cause }, 'The state of a connector could not be kept'),
    );
  }

  #inTurn(task: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(task).catch((error: unknown) => {
      this.#deps.log.error({ err: error, connector: this.#connector.id }, 'A connector could not announce its devices');
    });
    return this.#turn;
  }
}
