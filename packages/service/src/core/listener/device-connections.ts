import type { Socket } from 'node:net';

/**
 * Open connections by the hardware uuid of the device that has shown itself on them: those of one that is no longer
 * welcome are cut at once, downloads and all, instead of being refused at their next request.
 */
export class DeviceConnections {
  readonly #sockets = new Map<string, Set<Socket>>();
  readonly #shown = new WeakMap<Socket, string>();

  /** This device speaks on this connection. */
  note(uuid: string, socket: Socket): void {
    // A request that is put in without a network has nothing that could be cut.
    if (!('destroy' in socket)) return;
    const before = this.#shown.get(socket);
    if (before === uuid) return;
    if (before === undefined) socket.once('close', () => this.#forget(socket));
    else this.#remove(before, socket);
    this.#shown.set(socket, uuid);
    this.#sockets.set(uuid, (this.#sockets.get(uuid) ?? new Set()).add(socket));
  }

  /** Cuts the connections of a device, save those that `stays` names. */
  cut(uuid: string, stays: (socket: Socket) => boolean = () => false): void {
    for (const socket of [...(this.#sockets.get(uuid) ?? [])]) if (!stays(socket)) socket.destroy();
  }

  #forget(socket: Socket): void {
    const uuid = this.#shown.get(socket);
    if (uuid !== undefined) this.#remove(uuid, socket);
  }

  #remove(uuid: string, socket: Socket): void {
    const sockets = this.#sockets.get(uuid);
    sockets?.delete(socket);
    if (sockets?.size === 0) this.#sockets.delete(uuid);
  }
}
