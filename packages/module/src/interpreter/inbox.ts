/** Received bytes that are not yet taken. Its owner bounds it by pausing the sender. */
export class Inbox {
  #chunks: Buffer[] = [];
  #at = 0;
  #open = true;

  /** More may come. */
  get open(): boolean {
    return this.#open;
  }

  /** No more will come, and everything has been taken. */
  get ended(): boolean {
    return !this.#open && this.empty;
  }

  get empty(): boolean {
    return this.#chunks.length === 0;
  }

  /** What has not been taken, in bytes. */
  get bytes(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, -this.#at);
  }

  /** After the end nothing is kept. */
  push(bytes: Uint8Array): void {
    if (this.#open && bytes.length > 0)
      this.#chunks.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  /** The oldest bytes that have arrived in one piece; empty only when there are none. */
  get front(): Buffer {
    const chunk = this.#chunks[0];
    if (chunk === undefined) return noBytes;
    return this.#at === 0 ? chunk : chunk.subarray(this.#at);
  }

  /** Forgets `count` bytes of the front. */
  take(count: number): void {
    this.#at += count;
    if (this.#at < (this.#chunks[0]?.length ?? 0)) return;
    this.#chunks.shift();
    this.#at = 0;
  }

  /** Everything, as one piece. */
  takeAll(): Buffer {
    const all = Buffer.concat([this.front, ...this.#chunks.slice(1)]);
    this.clear();
    return all;
  }

  /** No more will come. */
  end(): void {
    this.#open = false;
  }

  clear(): void {
    this.#chunks = [];
    this.#at = 0;
  }
}

const noBytes = Buffer.alloc(0);
