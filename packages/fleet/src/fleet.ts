import type { Client, ProductRecord } from '@moorage/api';
import { type Clock, type Result, success } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule } from '@moorage/module';
import type { Model } from '@moorage/module/model/model';
import { MemoryNetwork } from '@moorage/net/memory';
import { ApiEnrolment } from './enrolment.ts';
import type { FleetSummary } from './figures.ts';
import { turnsOf } from './pace.ts';
import { planTwin } from './plan.ts';
import type { FleetGroup, FleetScenario } from './scenario.ts';
import { type Tally, Twin, type World } from './twin.ts';

/** What a fleet is made of; it creates none of it. */
export interface FleetParts
  extends Pick<World, 'clock' | 'hostClock' | 'net' | 'openStore' | 'service' | 'ca' | 'login'> {
  readonly api: Client;
  readonly product: Pick<ProductRecord, 'id' | 'product' | 'platform_id'>;
  /** First 8 digits of the hardware uuids of its platform; those of the models without it. */
  readonly partId: string | null;
  readonly scenario: FleetScenario;
  readonly seed: string;
  /** Modules of the whole fleet. */
  readonly count: number;
  /** Which of them run here: every one of `of`, from the one with this number on. */
  readonly part?: { readonly number: number; readonly of: number };
  /** Connections that are opened in a second, at most. */
  readonly ratePerS?: number | undefined;
}

/** Modules that are put together at a time. */
const atOnce = 100;

/** Many modules that live against one service. */
export class Fleet {
  readonly #parts: FleetParts;
  readonly #enrolment: ApiEnrolment;
  readonly #twins: Twin[] = [];
  readonly #tally: Tally = {
    polls: 0,
    updates: 0,
    failures: 0,
    troubles: 0,
    trouble: '',
    sentBytes: 0,
    receivedBytes: 0,
  };
  #isStopped = false;

  constructor(parts: FleetParts) {
    this.#parts = parts;
    this.#enrolment = new ApiEnrolment(parts.api, parts.product, parts.count);
  }

  /**
   * Puts all modules together and makes them devices; they begin to live at once, each by itself. The error says what the
   * service does not take.
   */
  async start(): Promise<Result<void, string>> {
    const { count, part = { number: 0, of: 1 } } = this.#parts;
    const indices: number[] = [];
    for (let index = part.number; index < count; index += part.of) indices.push(index);
    const world = await this.#world();
    for (let at = 0; at < indices.length && !this.#isStopped; at += atOnce) {
      const begun = await this.#begin(indices.slice(at, at + atOnce), world);
      if (!begun.ok) return begun;
    }
    return success(undefined);
  }

  get summary(): FleetSummary {
    const { receivedBytes: received_bytes, sentBytes: sent_bytes, ...tally } = this.#tally;
    const inState = (state: Twin['state']): number => this.#count((twin) => twin.state === state);
    return {
      modules: this.#twins.length,
      online: this.#count((twin) => twin.isOnline),
      starting: inState('starting'),
      updating: inState('updating'),
      asleep: inState('asleep'),
      off: inState('off'),
      lost: inState('lost'),
      updated: this.#count((twin) => twin.isUpdated),
      failed: this.#count((twin) => twin.isFailed),
      sent_bytes,
      received_bytes,
      ...tally,
    };
  }

  /** Switches all modules off, in order. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#twins.map((twin) => twin.stop()));
    await this.#enrolment.close();
  }

  #count(fits: (twin: Twin) => boolean): number {
    return this.#twins.reduce((sum, twin) => sum + (fits(twin) ? 1 : 0), 0);
  }

  async #begin(indices: readonly number[], world: World): Promise<Result<void, string>> {
    const { count, scenario, seed } = this.#parts;
    const twins = indices.map((index) => new Twin(planTwin(scenario, seed, index, count), world));
    this.#twins.push(...twins);
    await Promise.all(twins.map((twin) => twin.switchOn()));
    const blank = twins.filter((twin) => twin.isBlank);
    const tokens = await this.#enrolment.tokens(
      blank.map(({ identity, plan }) => ({ uuid: identity.uuid.toLowerCase(), mac: identity.mac, title: plan.title })),
    );
    if (!tokens.ok) return tokens;
    for (const twin of twins) {
      twin.live(tokens.value.get(twin.identity.uuid.toLowerCase())).catch((cause: unknown) => {
        // Its flash cannot be opened any more: it stays off.
        this.#tally.troubles++;
        this.#tally.trouble = `${twin.plan.title}: ${cause instanceof Error ? cause.message : String(cause)}`;
      });
    }
    return success(undefined);
  }

  async #world(): Promise<World> {
    const { ca, clock, hostClock, login, net, openStore, partId, product, ratePerS, scenario, service } = this.#parts;
    const models = new Map<FleetGroup, Model>();
    for (const group of scenario.groups) models.set(group, await boardOf(group, partId, clock));
    return {
      ...{ ca, clock, hostClock, login, net, openStore, service },
      product: product.product,
      modelOf: (group) => models.get(group) ?? group.model,
      enrolment: this.#enrolment,
      turns: turnsOf(hostClock, ratePerS),
      tally: this.#tally,
    };
  }
}

/** The board of a group on its platform, with as much free flash as it shall have. */
export async function boardOf(
  { flash, model: given }: FleetGroup,
  partId: string | null,
  clock: Clock,
): Promise<Model> {
  const model = partId === null ? given : { ...given, partId };
  if (flash?.free_bytes === undefined) return model;
  const net = new MemoryNetwork(clock).attach('board', '10.0.0.1');
  const board = await createModule({ clock, model, net, store: new MemoryStore(), seed: 'board' });
  const { areaBytes } = model.flash;
  const e = areaBytes.e - board.flash.free('e') + flash.free_bytes;
  return { ...model, flash: { ...model.flash, areaBytes: { ...areaBytes, e } } };
}
