import { codes, type DataRequest, fail, type Response } from './reply.ts';

/** Counts the inline data of a command into its sink. Exactly the announced bytes are taken, even after a failure. */
export class DataFeed {
  #remaining: number;
  #broken = false;
  #writing: Promise<void> | undefined;
  readonly #request: DataRequest;
  readonly #onMistake: (error: unknown) => void;

  constructor(request: DataRequest, onMistake: (error: unknown) => void) {
    this.#request = request;
    this.#remaining = request.size;
    this.#onMistake = onMistake;
  }

  /** Bytes that have come. */
  get received(): number {
    return this.#request.size - this.#remaining;
  }

  /** Bytes that are still to come. */
  get remaining(): number {
    return this.#remaining;
  }

  /** Takes at most `remaining` bytes; wait for the promise before the next call. */
  write(bytes: Uint8Array): void | Promise<void> {
    this.#remaining -= bytes.length;
    if (this.#broken) return;
    try {
      const written = this.#request.sink.write(bytes);
      this.#writing = written?.catch((error: unknown) => this.#break(error)).finally(() => (this.#writing = undefined));
      return this.#writing;
    } catch (error) {
      this.#break(error);
    }
  }

  /** All bytes have come: the command's response. */
  end(): Response | Promise<Response> {
    return this.#broken ? fail(codes.FAILED) : this.#request.sink.end();
  }

  /** The bytes stopped coming. What is being written is written first. */
  async abort(): Promise<Response> {
    if (this.#writing) await this.#writing;
    if (!this.#broken) await this.#request.sink.abort();
    return fail(codes.FAILED);
  }

  #break(error: unknown): void {
    this.#broken = true;
    this.#onMistake(error);
    void Promise.resolve(this.#request.sink.abort()).catch(this.#onMistake);
  }
}
