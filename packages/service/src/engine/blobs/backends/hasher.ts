import { Worker } from 'node:worker_threads';

/** What two threads can do, one does not have to wait for; more would take the processors from everything else. */
const threads = 2;

export interface Hashes {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly crc: number;
}

type Answer = { readonly id: number } & (Hashes | { readonly error: unknown });

interface Waiting {
  resolve(hashes: Hashes): void;
  reject(error: unknown): void;
}

/** A thread that hashes files, and what it has been asked for. It keeps no process alive. */
class HashThread {
  readonly #worker = new Worker(new URL('hash-worker.ts', import.meta.url));
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  /** @param onEnd called when the thread is gone */
  constructor(onEnd: () => void) {
    this.#worker.unref();
    this.#worker.on('message', (answer: Answer) => {
      const request = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (this.#waiting.size === 0) this.#worker.unref();
      if ('error' in answer) request?.reject(answer.error);
      else request?.resolve({ sha256: answer.sha256, crc: answer.crc });
    });
    const end = (cause: unknown) => {
      onEnd();
      for (const { reject } of this.#waiting.values()) reject(new Error('The hashing thread ended', { cause }));
      this.#waiting.clear();
    };
    this.#worker.on('error', end).on('exit', end);
  }

  get load(): number {
    return this.#waiting.size;
  }

  hash(fd: number, size: number): Promise<Hashes> {
    return new Promise((resolve, reject) => {
      const id = this.#count++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.ref();
      this.#worker.postMessage({ id, fd, size });
    });
  }
}

const running: HashThread[] = [];

/**
 * Hashes the first `size` bytes of an open file on a thread of its own: 16 MiB take 20 ms, in which the event loop has
 * better to do. The file has to stay open until then.
 */
export function hashFile(fd: number, size: number): Promise<Hashes> {
  if (running.length < threads && running.every(({ load }) => load > 0)) {
    const made: HashThread = new HashThread(() => {
      const at = running.indexOf(made);
      if (at >= 0) running.splice(at, 1);
    });
    running.push(made);
  }
  const idlest = running.reduce((one, other) => (other.load < one.load ? other : one));
  return idlest.hash(fd, size);
}
