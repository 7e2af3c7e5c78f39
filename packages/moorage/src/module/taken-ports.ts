import { Turns } from '@moorage/base';
import type { Listener, Net } from '@moorage/net';

/** A network that remembers which of the ports that a module asks for another program has. */
export class TakenPorts {
  readonly net: Net;
  readonly #under: Net;
  readonly #open = new Set<number>();
  readonly #taken = new Set<number>();
  /** One after the other: a look at a port must not be what takes it from the module. */
  readonly #turns = new Turns();

  constructor(under: Net) {
    this.#under = under;
    this.net = {
      ...under,
      listen: (...args) => this.#turns.run(() => this.#listen(...args)),
    };
  }

  /** What was found at the last attempt to open it. */
  isTaken(port: number): boolean {
    return this.#taken.has(port);
  }

  /** Finds out whether the module has the port or could have it, before it wants it. */
  async look(port: number): Promise<void> {
    await this.#turns.run(async () => {
      if (this.#open.has(port)) return;
      const listener = await this.#listen(port, ({ stream }) => stream.destroy());
      if (listener.ok) await listener.value.close();
    });
  }

  async #listen(...args: Parameters<Net['listen']>): ReturnType<Net['listen']> {
    const [port] = args;
    const listener = await this.#under.listen(...args);
    if (!listener.ok) {
      if (listener.error.error === 'in-use' && !this.#open.has(port)) this.#taken.add(port);
      return listener;
    }
    this.#taken.delete(port);
    this.#open.add(port);
    return { ...listener, value: this.#closing(listener.value, port) };
  }

  #closing(listener: Listener, port: number): Listener {
    return {
      address: listener.address,
      port: listener.port,
      close: () => {
        this.#open.delete(port);
        return listener.close();
      },
    };
  }
}
