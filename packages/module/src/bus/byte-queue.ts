/** Bytes that wait, in the pieces in which they came. Its owner bounds it. */
export class ByteQueue {
  #pieces: Uint8Array[] = [];
  /** How many bytes wait. */
  length = 0;

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.length += bytes.length;
  }

  /** Takes `count` bytes, or all there are, as pieces. */
  take(count: number): readonly Uint8Array[] {
    const taken: Uint8Array[] = [];
    let left = Math.min(count, this.length);
    this.length -= left;
    while (left > 0) {
      const piece = this.#pieces[0] ?? new Uint8Array();
      if (piece.length <= left) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(left);
      taken.push(piece.subarray(0, left));
      left -= Math.min(left, piece.length);
    }
    return taken;
  }

  clear(): void {
    this.#pieces = [];
    this.length = 0;
  }
}
