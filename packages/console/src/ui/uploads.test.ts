import { describe, expect, it } from 'vitest';
import { type Upload, UploadQueue, type UploadTarget } from './uploads.ts';

interface Sending {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
  readonly done: () => void;
  readonly fail: (error: Error) => void;
}

/** A target whose sending the test steers. */
function steered(limitBytes = 100) {
  const sending: Sending[] = [];
  const target: UploadTarget<{ name: string; size: number }> = {
    limitBytes,
    send: ({ name }, options) =>
      new Promise<void>((done, fail) => {
        sending.push({ name, ...options, done, fail });
      }),
  };
  return { sending, target };
}

const files = (...names: string[]) => names.map((name) => ({ name, size: 10 }));
const states = (queue: UploadQueue): string[] => queue.uploads.map(({ name, state }: Upload) => `${name} ${state}`);
/** Lets what has been settled be noticed. */
const turn = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

describe('the queue of uploads', () => {
  it('sends two at a time, and the next when one is done', async () => {
    const queue = new UploadQueue();
    const { sending, target } = steered();
    queue.add(files('a', 'b', 'c'), target);
    expect(states(queue)).toEqual(['a sending', 'b sending', 'c waiting']);
    sending[0]?.onProgress(0.5);
    expect(queue.uploads[0]?.share).toBe(0.5);
    sending[0]?.done();
    await turn();
    expect(states(queue)).toEqual(['a done', 'b sending', 'c sending']);
  });

  it('goes on after one has failed, and says why', async () => {
    const queue = new UploadQueue();
    const { sending, target } = steered();
    queue.add(files('a', 'b', 'c'), target);
    sending[1]?.fail(new Error('File "b" exists already'));
    await turn();
    expect(states(queue)).toEqual(['a sending', 'b failed', 'c sending']);
    expect(queue.uploads[1]?.reason).toBe('File "b" exists already');
  });

  it('cancels one that is sent and one that waits, and only those', async () => {
    const queue = new UploadQueue();
    const { sending, target } = steered();
    queue.add(files('a', 'b', 'c', 'd'), target);
    const [a, , c] = queue.uploads;
    queue.cancel(a?.id ?? 0);
    expect(sending[0]?.signal.aborted).toBe(true);
    // What the cancelled one comes to is no news.
    sending[0]?.fail(new Error('aborted'));
    queue.cancel(c?.id ?? 0);
    await turn();
    expect(states(queue)).toEqual(['a cancelled', 'b sending', 'c cancelled', 'd sending']);
  });

  it('cancels all, keeps what is done, and can be cleared', async () => {
    const queue = new UploadQueue();
    const { sending, target } = steered();
    queue.add(files('a', 'b', 'c'), target);
    sending[0]?.done();
    await turn();
    queue.cancelAll();
    expect(states(queue)).toEqual(['a done', 'b cancelled', 'c cancelled']);
    expect(sending.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    queue.clear();
    expect(queue.uploads).toEqual([]);
  });

  it('refuses a file over the limit without sending it', () => {
    const queue = new UploadQueue();
    const { sending, target } = steered(9);
    queue.add(files('large'), target);
    expect(states(queue)).toEqual(['large failed']);
    expect(queue.uploads[0]?.reason).toBe('It is 1 byte over the limit of 9 bytes');
    expect(sending).toEqual([]);
  });

  it('notifies of changes until the listener unsubscribes', () => {
    const queue = new UploadQueue();
    const { target } = steered();
    let notices = 0;
    const end = queue.subscribe(() => {
      notices += 1;
    });
    queue.add(files('a'), target);
    expect(notices).toBeGreaterThan(0);
    const before = notices;
    end();
    queue.cancelAll();
    expect(notices).toBe(before);
  });
});
