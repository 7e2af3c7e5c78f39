import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { type Stream, StreamTable, type StreamType } from './streams.ts';

/** A connection whose other side is the test. */
class Line implements Stream {
  readonly type: StreamType;
  remoteClosed = false;
  finished = false;
  closes = 0;
  #received = Buffer.alloc(0);
  #changed = (): void => {};

  constructor(type: StreamType = 'TCPC') {
    this.type = type;
  }

  info(): string {
    return 'host:1 (2)';
  }

  available(): number {
    return this.#received.length;
  }

  read(max: number): Uint8Array {
    const bytes = this.#received.subarray(0, max);
    this.#received = this.#received.subarray(max);
    return bytes;
  }

  close(): void {
    this.closes++;
  }

  watch(changed: () => void): void {
    this.#changed = changed;
  }

  arrive(text: string): void {
    this.#received = Buffer.concat([this.#received, Buffer.from(text)]);
    this.#changed();
  }

  hangUp(): void {
    this.remoteClosed = true;
    this.#changed();
  }
}

function tableWith(autoClose = true) {
  const notices: string[] = [];
  const table = new StreamTable({
    autoClose: () => autoClose,
    notices: {
      opened: (handle) => notices.push(`opened ${handle}`),
      closing: (handle) => notices.push(`closing ${handle}`),
      closed: (handle) => notices.push(`closed ${handle}`),
    },
  });
  return { table, notices };
}

function opened(table: StreamTable, stream: Stream): number {
  const handle = table.open(stream);
  if (!handle.ok) throw new Error(handle.error);
  return handle.value;
}

async function readText(table: StreamTable, handle: number, max = 100): Promise<string> {
  const bytes = await table.read(handle, max);
  return bytes.ok ? Buffer.from(bytes.value).toString() : `refused: ${bytes.error}`;
}

describe('StreamTable', () => {
  test('gives the lowest free handle, and none when all eight are taken', async () => {
    // MOD-STREAM-lowest, MOD-STREAM-handle, MOD-LIMIT-streams
    const { table } = tableWith();
    for (let handle = 0; handle < 8; handle++) expect(opened(table, new Line())).toBe(handle);
    expect(table.hasFree).toBe(false);
    expect(table.open(new Line())).toEqual({ ok: false, error: 'no-handle' });
    unwrap(await table.close(5));
    unwrap(await table.close(2));
    expect([opened(table, new Line()), opened(table, new Line())]).toEqual([2, 5]);
  });

  const announced: readonly (readonly [StreamType, boolean])[] = [
    ['TCPC', true],
    ['WEBS', true],
    ['HTTP', true],
    ['FILE', false],
    ['CMD', false],
  ];
  test.each(announced)('announces the opening of a %s stream: %s', (type, says) => {
    const { table, notices } = tableWith();
    unwrap(table.open(new Line(type)));
    expect(notices).toEqual(says ? ['opened 0'] : []);
  });

  interface PollCase {
    readonly data: string;
    readonly hungUp: boolean;
    readonly autoClose: boolean;
    readonly state: 0 | 1 | 2 | 'gone';
  }
  const polls: readonly PollCase[] = [
    // MOD-STREAM-poll-states
    { data: '', hungUp: false, autoClose: true, state: 0 },
    { data: 'x', hungUp: false, autoClose: true, state: 1 },
    { data: 'x', hungUp: true, autoClose: true, state: 1 },
    { data: '', hungUp: true, autoClose: true, state: 'gone' },
    { data: '', hungUp: false, autoClose: false, state: 0 },
    { data: 'x', hungUp: false, autoClose: false, state: 1 },
    { data: 'x', hungUp: true, autoClose: false, state: 1 },
    { data: '', hungUp: true, autoClose: false, state: 2 },
  ];
  test.each(polls)('polls $state with data "$data", hung up $hungUp, auto close $autoClose', (row) => {
    const { table } = tableWith(row.autoClose);
    const line = new Line();
    const handle = opened(table, line);
    if (row.data) line.arrive(row.data);
    if (row.hungUp) line.hangUp();
    const state = table.poll(handle);
    expect(state.ok ? state.value : 'gone').toBe(row.state);
  });

  test('drops a stream when the last byte of a closed remote side has been read', async () => {
    // MOD-STREAM-auto-close
    const { table, notices } = tableWith();
    const line = new Line();
    opened(table, line);
    line.arrive('abc');
    line.hangUp();
    expect(await readText(table, 0, 2)).toBe('ab');
    expect(table.get(0)).toBe(line);
    expect(await readText(table, 0, 2)).toBe('c');
    expect(table.get(0)).toBeUndefined();
    expect(notices).toEqual(['opened 0', 'closed 0']);
    expect(line.closes).toBe(1);
    expect(await readText(table, 0)).toBe('refused: unknown-handle');
  });

  test('keeps a closed stream until stream_close when auto close is off', async () => {
    const { table, notices } = tableWith(false);
    const line = new Line();
    opened(table, line);
    line.arrive('abc');
    line.hangUp();
    expect(await readText(table, 0)).toBe('abc');
    expect(await readText(table, 0)).toBe('');
    expect(table.poll(0)).toEqual({ ok: true, value: 2 });
    expect(await table.close(0)).toEqual({ ok: true, value: undefined });
    expect(notices).toEqual(['opened 0', 'closing 0', 'closed 0']);
    expect(line.closes).toBe(1);
  });

  test('does not touch the new owner of a handle when the old one speaks up', () => {
    const { table, notices } = tableWith();
    const old = new Line();
    opened(table, old);
    old.hangUp();
    const fresh = new Line();
    expect(opened(table, fresh)).toBe(0);
    old.arrive('late');
    old.hangUp();
    expect(table.get(0)).toBe(fresh);
    expect(notices).toEqual(['opened 0', 'closed 0', 'opened 0']);
  });

  test('refuses what a stream cannot do', async () => {
    const { table } = tableWith();
    const mute: Stream = { type: 'FILE', info: () => '', available: () => 0, remoteClosed: false, close: () => {} };
    opened(table, mute);
    expect(await table.read(0, 1)).toEqual({ ok: false, error: 'not-readable' });
    expect(table.write(0, 1)).toEqual({ ok: false, error: 'not-writable' });
    for (const handle of [1, 7, 8, 255, -1]) {
      expect(table.poll(handle)).toEqual({ ok: false, error: 'unknown-handle' });
      expect(await table.read(handle, 1)).toEqual({ ok: false, error: 'unknown-handle' });
      expect(table.write(handle, 1)).toEqual({ ok: false, error: 'unknown-handle' });
      expect(await table.close(handle)).toEqual({ ok: false, error: 'unknown-handle' });
    }
  });

  test('closes connections and leaves files and kept output when the network goes down', async () => {
    const { table, notices } = tableWith();
    for (const type of ['TCPC', 'FILE', 'WEBS', 'CMD'] as const) opened(table, new Line(type));
    notices.length = 0;
    await table.closeConnections();
    expect(notices).toEqual(['closed 0', 'closed 2']);
    expect(table.list().map(({ handle, stream }) => [handle, stream.type])).toEqual([
      [1, 'FILE'],
      [3, 'CMD'],
    ]);
  });

  test('closes everything in silence when the board restarts', async () => {
    const { table, notices } = tableWith();
    const lines = [new Line(), new Line('FILE')];
    for (const line of lines) opened(table, line);
    notices.length = 0;
    await table.reset();
    expect(notices).toEqual([]);
    expect(table.list()).toEqual([]);
    expect(lines.map((line) => line.closes)).toEqual([1, 1]);
  });

  test('wakes who waits for a change, once, also when the stream goes away', async () => {
    const { table } = tableWith();
    const line = new Line();
    const handle = opened(table, line);
    let wakes = 0;
    table.onChange(handle, () => wakes++);
    line.arrive('a');
    line.arrive('b');
    expect(wakes).toBe(1);
    const stop = table.onChange(handle, () => wakes++);
    stop();
    line.arrive('c');
    expect(wakes).toBe(1);
    table.onChange(handle, () => wakes++);
    unwrap(await table.close(handle));
    expect(wakes).toBe(2);
  });
});
