import { useSyncExternalStore } from 'react';
import { formatSize } from '../texts/format.ts';
import { t } from '../texts/ui.ts';

/** One file on its way to the service. */
export interface Upload {
  readonly id: number;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled';
  /** Share that is gone, 0 to 1. */
  readonly share: number;
  /** Why it failed. */
  readonly reason?: string;
}

/** What an upload needs of a file. */
export interface NamedFile {
  readonly name: string;
  readonly size: number;
}

/** Where files go, and how large they may be. */
export interface UploadTarget<F extends NamedFile> {
  /** Largest file, in bytes. */
  readonly limitBytes: number;
  /** Sends one file; what it throws is why it failed. */
  readonly send: (
    file: F,
    options: { readonly onProgress: (share: number) => void; readonly signal: AbortSignal },
  ) => Promise<unknown>;
  /** The name under which the file is sent; its own without it. */
  readonly nameOf?: (file: F) => string;
}

/** Files that are sent at the same time. The others wait: each is held in memory while it is sent. */
const sentAtOnce = 2;
/** Uploads that a list shows; older ones that are over make room. */
const shownLimit = 200;

interface Entry {
  readonly upload: Upload;
  readonly run: (onProgress: (share: number) => void, signal: AbortSignal) => Promise<unknown>;
  readonly controller: AbortController;
}

const isOver = ({ state }: Upload): boolean => state !== 'waiting' && state !== 'sending';

/** Files that are sent one after the other, each of which can be cancelled. */
export class UploadQueue {
  #entries: readonly Entry[] = [];
  #uploads: readonly Upload[] = [];
  #lastId = 0;
  readonly #listeners = new Set<() => void>();

  get uploads(): readonly Upload[] {
    return this.#uploads;
  }

  /** Calls `listener` after every change; returns unsubscribe. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Puts files into the queue. Those over the limit fail at once, without being sent. */
  add<F extends NamedFile>(files: readonly F[], target: UploadTarget<F>): void {
    const added = files.map((file): Entry => {
      const tooLarge = file.size > target.limitBytes;
      const over = formatSize(file.size - target.limitBytes);
      const reason = t.itIsOverLimitOf(over, formatSize(target.limitBytes));
      return {
        upload: {
          id: ++this.#lastId,
          name: target.nameOf?.(file) ?? file.name,
          size: file.size,
          state: tooLarge ? 'failed' : 'waiting',
          share: 0,
          ...(tooLarge && { reason }),
        },
        run: (onProgress, signal) => target.send(file, { onProgress, signal }),
        controller: new AbortController(),
      };
    });
    const kept = this.#entries.filter(({ upload }, i) => !isOver(upload) || i >= this.#entries.length - shownLimit);
    this.#set([...kept, ...added]);
    this.#startNext();
  }

  cancel(id: number): void {
    const entry = this.#entries.find(({ upload }) => upload.id === id);
    if (!entry || isOver(entry.upload)) return;
    entry.controller.abort();
    this.#change(id, { state: 'cancelled' });
    this.#startNext();
  }

  cancelAll(): void {
    for (const { upload } of this.#entries) this.cancel(upload.id);
  }

  /** Takes those off the list that are over. */
  clear(): void {
    this.#set(this.#entries.filter(({ upload }) => !isOver(upload)));
  }

  #startNext(): void {
    const sending = this.#entries.filter(({ upload }) => upload.state === 'sending').length;
    const waiting = this.#entries.filter(({ upload }) => upload.state === 'waiting');
    for (const entry of waiting.slice(0, Math.max(0, sentAtOnce - sending))) void this.#send(entry);
  }

  async #send({ upload: { id }, run, controller: { signal } }: Entry): Promise<void> {
    this.#change(id, { state: 'sending' });
    try {
      await run((share) => this.#change(id, { share }), signal);
      this.#change(id, { state: 'done', share: 1 });
    } catch (error) {
      this.#change(id, { state: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
    this.#startNext();
  }

  /** What is over stays as it is: a cancelled upload also fails. */
  #change(id: number, change: Partial<Upload>): void {
    this.#set(
      this.#entries.map((entry) =>
        entry.upload.id === id && !isOver(entry.upload) ? { ...entry, upload: { ...entry.upload, ...change } } : entry,
      ),
    );
  }

  #set(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#uploads = entries.map(({ upload }) => upload);
    for (const listener of this.#listeners) listener();
  }
}

const queues = new Map<string, UploadQueue>();

/** The queue of one place: who leaves its page and comes back finds the uploads going on. */
export function useUploads(place: string): { readonly queue: UploadQueue; readonly uploads: readonly Upload[] } {
  const queue = queues.get(place) ?? new UploadQueue();
  queues.set(place, queue);
  return { queue, uploads: useSyncExternalStore(queue.subscribe, () => queue.uploads) };
}
