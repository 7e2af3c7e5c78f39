import { once } from 'node:events';
import { join } from 'node:path';
import { type Client, createClient } from '@moorage/api';
import type { Random } from '@moorage/base';
import { databaseSource, freePort } from '@moorage/service/testing/index';
import { ObjectStore } from '@moorage/service/testing/object-store';
import { must } from '../packages/moorage/src/up/example.ts';
import { eventOf, type Moorage, moorage } from './command-line.ts';

const login = { username: 'owner@example.com', password: 'a long password' };

interface Running {
  readonly program: Moorage;
  readonly client: Client;
  /** Address of the device listener. */
  readonly devices: string;
}

/** A response with status 200. */
type Answer = Readonly<Record<string, unknown>>;

/** Turns of the event loop between a request and the kill: from before it is sent to after its response. */
const turnsLimit = 600;

/** Processes of the service on one database that are killed while they answer, and come back on their ports. */
export class KilledService {
  readonly #kind: 'sqlite' | 'postgres';
  readonly #folder: string;
  readonly #random: Random;
  readonly #database = databaseSource('postgres', { holds: 'nothing' });
  #objects: ObjectStore | undefined;
  readonly #nodes: { readonly args: readonly string[]; running: Promise<Running> }[] = [];
  #next = 0;
  #plan: number[] = [];
  kills = 0;

  constructor(kind: 'sqlite' | 'postgres', folder: string, random: Random) {
    this.#kind = kind;
    this.#folder = folder;
    this.#random = random;
  }

  /** One process on SQLite, two on PostgreSQL. */
  async start(): Promise<void> {
    const shared: string[] = [];
    if (this.#kind === 'postgres') {
      this.#objects = await ObjectStore.open('blobs');
      shared.push('--database', await this.#database.make(), ...this.#objects.flags());
    }
    for (const name of this.#kind === 'postgres' ? ['a', 'b'] : ['a']) {
      const ports = ['--port', String(await freePort()), '--device-port', String(await freePort())];
      const args = ['serve', '--data', join(this.#folder, name), ...ports, '--device-insecure', '--json', ...shared];
      const running = this.#serve(args);
      await running;
      this.#nodes.push({ args, running });
    }
  }

  async #serve(args: readonly string[]): Promise<Running> {
    const program = moorage(args, {
      MOORAGE_ADMIN_EMAIL: login.username,
      MOORAGE_ADMIN_PASSWORD: login.password,
    });
    const { api, devices } = await eventOf(program, 'ready');
    const anonymous = createClient({ baseUrl: String(api) });
    const { token } = must(await anonymous.call('auth.login', { body: login }));
    return { program, client: anonymous.as(token), devices: String(devices) };
  }

  /** A process is killed during each of so many of the next requests. */
  killDuring(count: number, requests: number): void {
    const numbers = Array.from({ length: requests }, (_, number) => number);
    this.#plan = Array.from({ length: count }, () => numbers.splice(this.#random.below(numbers.length), 1)[0] ?? 0);
  }

  /** A client of a process that runs; for what nothing interrupts. */
  async client(): Promise<Client> {
    const { client } = await this.#node(0).running;
    return client;
  }

  #node(number: number) {
    const node = this.#nodes[number % this.#nodes.length];
    if (!node) throw new Error('The service has not been started');
    return node;
  }

  /** Sends a request to one process after the other until one has answered it; those of the plan are interrupted. */
  async #send<T>(request: (to: Running) => Promise<T>): Promise<T> {
    const isKilled = this.#plan.includes(0);
    this.#plan = this.#plan.map((number) => number - 1);
    for (let attempt = 0; ; attempt++) {
      const node = this.#node(this.#next++);
      const running = await node.running;
      const answer = request(running).catch(() => undefined);
      if (isKilled && attempt === 0) {
        for (let turn = this.#random.below(turnsLimit); turn > 0; turn--) await new Promise(setImmediate);
        running.program.process.kill('SIGKILL');
        await running.program.ended;
        this.kills++;
        node.running = this.#serve(node.args);
        await node.running;
      }
      const found = await answer;
      if (found !== undefined) return found;
    }
  }

  /** A request of a device; a connection that breaks is tried again, whether or not the service has taken it. */
  device(path: string, headers: Readonly<Record<string, string>>, body: object): Promise<Answer> {
    return this.#send(async ({ devices }) => {
      const url = new URL(path, devices);
      const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
      const response = await fetch(url, { ...sent, body: JSON.stringify(body) });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${path} is answered ${response.status} ${text}`);
      return JSON.parse(text) as Answer;
    });
  }

  /** A call of a person, sent again in the same way. */
  person<T>(call: (client: Client) => Promise<T>): Promise<T> {
    return this.#send(({ client }) => call(client));
  }

  async close(): Promise<void> {
    for (const { running } of this.#nodes) {
      const { program } = await running;
      program.process.kill('SIGKILL');
      if (program.process.exitCode === null) await once(program.process, 'exit');
    }
    await this.#objects?.close();
    await this.#database.remove();
  }
}
