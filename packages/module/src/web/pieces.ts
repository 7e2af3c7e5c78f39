import type { ServerResponse } from 'node:http';
import type { Allocate } from '@moorage/base';

/** Most bytes of a file that are read at a time: what a client may keep waiting. */
export const pieceBytes = 256 * 1024;

/** Pieces that are no larger have a buffer of their own, in bytes. */
const smallBytes = 16 * 1024;

/** Buffers that are kept for the next piece, of whichever module of the process. */
const maxSpare = 8;

const spare: Uint8Array[] = [];

/**
 * A piece of a file on its way to a client. A large one borrows its buffer: a new one each time would soon be garbage,
 * and collecting that costs more than reading the file.
 */
export class Piece {
  #buffer: Uint8Array | undefined;

  readonly allocate: Allocate = (bytes) => {
    if (bytes <= smallBytes || bytes > pieceBytes) return Buffer.allocUnsafeSlow(bytes);
    this.#buffer = spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
    return this.#buffer.subarray(0, bytes);
  };

  /** Writes the bytes that were read; false when the client should take some first. */
  write(response: ServerResponse, bytes: Uint8Array): boolean {
    // What fails may still be looked at: only what has gone out is written over.
    return response.write(bytes, (error) => error || this.#giveBack());
  }

  #giveBack(): void {
    if (this.#buffer && spare.length < maxSpare) spare.push(this.#buffer);
    this.#buffer = undefined;
  }
}
