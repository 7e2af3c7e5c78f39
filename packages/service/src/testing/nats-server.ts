import { ChildServer, missingProgram } from './child-server.ts';

/** Why tests with NATS are left out; empty where it is installed. */
export const natsMissing = missingProgram('nats-server', 'nats-server');

/** A NATS server of our own on loopback, which keeps its port when it is started again. */
export class NatsServer {
  readonly #args: readonly string[];
  #server: ChildServer | undefined;
  #port = -1;

  /** @param args beside those for address and port */
  constructor(args: readonly string[] = []) {
    this.#args = args;
  }

  /** HOST:PORT */
  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get url(): string {
    return `nats://${this.host}`;
  }

  async start(): Promise<void> {
    const args = ['-a', '127.0.0.1', '-p', String(this.#port), ...this.#args];
    this.#server = new ChildServer('nats-server', args, /client connections on \S+:(\d+)[\s\S]*Server is ready/);
    this.#port = Number(await this.#server.start());
  }

  freeze(): void {
    this.#server?.freeze();
  }

  thaw(): void {
    this.#server?.thaw();
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }
}
