import { duplexPair } from 'node:stream';
import { seededRandom, unwrap, VirtualClock } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { HttpExchange, maxQueuedBytes } from './exchange.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function turns(count = 20): Promise<void> {
  for (let left = count; left > 0; left--) await turn();
}

/** An exchange and the raw far end of its connection. */
function rig(method: 'GET' | 'HEAD' | 'POST' = 'GET') {
  const [near, far] = duplexPair();
  let sent = '';
  far.on('data', (chunk: Buffer) => {
    sent += chunk.toString('latin1');
  });
  const exchange = new HttpExchange(near, { method, path: '/x', headers: [['Host', 'h']] });
  return { near, far, exchange, sent: () => sent };
}

interface Outcome {
  readonly status: number | undefined;
  readonly body: string;
  readonly failed: boolean;
  readonly chunked: boolean;
}

/** What becomes of an answer that comes in these pieces, after which the server closes. */
async function outcomeOf(pieces: readonly Uint8Array[], method: 'GET' | 'HEAD' = 'GET'): Promise<Outcome> {
  const { far, exchange } = rig(method);
  exchange.send();
  let body = '';
  const drain = (): void => {
    while (exchange.available > 0) body += Buffer.from(exchange.read(1000)).toString('latin1');
  };
  for (const piece of pieces) {
    if (far.destroyed) break;
    far.write(piece);
    await turn();
    drain();
  }
  far.end();
  for (let left = 50; left > 0 && !(exchange.complete && exchange.available === 0); left--) {
    await turn();
    drain();
    exchange.read(1);
  }
  drain();
  const { status, failure, chunked } = exchange;
  await exchange.close(new VirtualClock());
  return { status, body, failed: failure !== undefined, chunked };
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const oneByOne = (text: string): readonly Buffer[] => [...bytes(text)].map((byte) => Buffer.of(byte));

function atRandom(text: string, seed: number): readonly Buffer[] {
  const random = seededRandom(seed);
  const whole = bytes(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < whole.length; ) {
    const size = 1 + random.below(9);
    pieces.push(whole.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

interface Case {
  readonly name: string;
  readonly text: string;
  readonly status: number | undefined;
  readonly body: string;
  readonly failed?: boolean;
  readonly chunked?: boolean;
  readonly method?: 'HEAD';
}

const answers: readonly Case[] = [
  { name: 'a length', text: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', status: 200, body: 'hello' },
  {
    name: 'lines that end in LF alone',
    text: 'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello',
    status: 200,
    body: 'hello',
  },
  { name: 'an end by closing', text: 'HTTP/1.1 200 OK\r\n\r\nhello', status: 200, body: 'hello' },
  { name: 'version 1.0', text: 'HTTP/1.0 200 OK\r\n\r\nhello', status: 200, body: 'hello' },
  { name: 'no reason', text: 'HTTP/1.1 201 \r\ncontent-length:0\r\n\r\n', status: 201, body: '' },
  { name: 'no body', text: 'HTTP/1.1 204 No Content\r\n\r\n', status: 204, body: '' },
  {
    name: 'a status for HEAD',
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n',
    status: 200,
    body: '',
    method: 'HEAD',
  },
  {
    name: 'chunks',
    text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n5\r\npedia\r\n0\r\n\r\n',
    status: 200,
    body: 'wikipedia',
    chunked: true,
  },
  {
    name: 'chunk extensions and trailers',
    text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;a=b;c="d e"\r\nwiki\r\n0;last\r\nX-Sum: 1\r\n\r\n',
    status: 200,
    body: 'wiki',
    chunked: true,
  },
  {
    name: 'an interim answer before it',
    text: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    status: 200,
    body: 'ok',
  },
  {
    name: 'bytes after its end',
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1',
    status: 200,
    body: 'ok',
  },
  // The status has come; what goes wrong later shows in the data.
  {
    name: 'an early close',
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello',
    status: 200,
    body: 'hello',
    failed: true,
  },
  {
    name: 'a close between chunks',
    text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n',
    status: 200,
    body: 'wiki',
    failed: true,
    chunked: true,
  },
  {
    name: 'a chunk size that is none',
    text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nwiki\r\n0\r\n\r\n',
    status: 200,
    body: '',
    failed: true,
    chunked: true,
  },
  ...[
    ['nothing', ''],
    ['a head without its end', 'HTTP/1.1 200 OK\r\nA: b\r\n'],
    ['no HTTP', 'hello\r\n\r\n'],
    ['another protocol', 'ICY 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
    ['a length beyond numbers', 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nhello'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: b\r\n\r\n'],
    ['a header with a space in its name', 'HTTP/1.1 200 OK\r\na b: c\r\n\r\n'],
    ['huge headers', `HTTP/1.1 200 OK\r\n${`A: ${'b'.repeat(1000)}\r\n`.repeat(20)}\r\n`],
    ['another protocol that it has changed to', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ].map(([name = '', text = '']) => ({ name, text, status: undefined, body: '', failed: true })),
];

describe.each(answers)('an answer with $name', ({ text, status, body, failed = false, chunked = false, method }) => {
  const expected = { status, body, failed, chunked };
  test('in one piece', async () => {
    const outcome = await outcomeOf([bytes(text)], method);
    // Data behind a mistake in the same piece may be lost with it.
    expect(outcome).toMatchObject(failed ? { status, failed } : expected);
  });

  test('byte by byte', async () => {
    if (text.length > 5000) return expect(await outcomeOf(atRandom(text, 1), method)).toEqual(expected);
    expect(await outcomeOf(oneByOne(text), method)).toEqual(expected);
  });

  test.each([1, 2, 3])('in random pieces, %i', async (seed) => {
    expect(await outcomeOf(atRandom(text, seed), method)).toMatchObject({ status, failed });
  });
});

test('random bytes and damaged answers end in a status or a failure, and never otherwise', async () => {
  const random = seededRandom('answers');
  for (let round = 0; round < 300; round++) {
    const model = answers[random.below(answers.length)]?.text ?? '';
    const damaged = bytes(model.slice(0, 2000));
    for (let count = random.below(4); count > 0 && damaged.length > 0; count--) {
      damaged[random.below(damaged.length)] = random.below(256);
    }
    const text = round % 3 === 0 ? Buffer.from(random.bytes(random.below(200))) : damaged;
    const outcome = await outcomeOf(atRandom(text.toString('latin1'), round));
    expect(outcome.failed || outcome.status !== undefined, JSON.stringify(text.toString('latin1'))).toBe(true);
  }
});

describe('the request', () => {
  test('nothing is sent before send, and nothing after', async () => {
    const { exchange, sent } = rig('POST');
    expect(exchange.addHeader('A', '1')).toEqual({ ok: true, value: undefined });
    await exchange.append(bytes('body'));
    await turns();
    expect(sent()).toBe('');
    exchange.send();
    exchange.send();
    await exchange.append(bytes('late'));
    expect(exchange.addHeader('B', '2')).toEqual({ ok: false, error: 'sent' });
    await turns();
    expect(sent()).toBe('POST /x HTTP/1.1\r\nHost: h\r\nA: 1\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody');
  });

  test('GET without a body announces none, POST a length of 0', async () => {
    for (const [method, expected] of [
      ['GET', 'GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'],
      ['POST', 'POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'],
    ] as const) {
      const { exchange, sent } = rig(method);
      exchange.send();
      await turns();
      expect(sent()).toBe(expected);
    }
  });

  test('an announced length that is wrong is corrected while the body is queued', async () => {
    const { exchange, sent } = rig('POST');
    unwrap(exchange.addHeader('content-length', '99'));
    unwrap(exchange.addHeader('Transfer-Encoding', 'chunked'));
    await exchange.append(bytes('body'));
    exchange.send();
    await turns();
    expect(sent()).toContain('\r\nContent-Length: 4\r\n');
    expect(sent()).not.toMatch(/99|chunked/);
  });

  test('a body over the queue goes out in chunks, and waits for its reader', async () => {
    const [near, far] = duplexPair();
    const exchange = new HttpExchange(near, { method: 'POST', path: '/x', headers: [] });
    await exchange.append(Buffer.alloc(maxQueuedBytes));
    await turns();
    expect(far.read()).toBeNull();
    let taken = false;
    const appended = (async () => {
      for (let count = 0; count < 10; count++) await exchange.append(Buffer.alloc(maxQueuedBytes));
      taken = true;
    })();
    await turns(100);
    expect(taken).toBe(false);
    far.resume();
    await appended;
    expect(taken).toBe(true);
  });

  test('a streamed body that is shorter than announced ends the connection', async () => {
    const { exchange, near } = rig('POST');
    unwrap(exchange.addHeader('Content-Length', String(maxQueuedBytes * 3)));
    await exchange.append(Buffer.alloc(maxQueuedBytes));
    await exchange.append(Buffer.alloc(maxQueuedBytes));
    expect(exchange.takes(maxQueuedBytes)).toBe(true);
    expect(exchange.takes(maxQueuedBytes + 1)).toBe(false);
    exchange.send();
    await turns();
    expect(exchange.failure).toContain('shorter');
    expect(near.destroyed).toBe(true);
  });

  test('a streamed body that is longer than announced ends the connection', async () => {
    const { exchange, near } = rig('POST');
    unwrap(exchange.addHeader('Content-Length', String(maxQueuedBytes)));
    await exchange.append(Buffer.alloc(maxQueuedBytes));
    await exchange.append(Buffer.alloc(1));
    await turns();
    expect(exchange.failure).toContain('longer');
    expect(near.destroyed).toBe(true);
  });

  test('a connection that goes before the request is sent fails it', async () => {
    const { exchange, near } = rig();
    near.destroy();
    await turns();
    expect(exchange.failure).toBe('The connection was closed');
    exchange.send();
    await exchange.append(bytes('x'));
    expect(exchange.addHeader('a', 'b')).toEqual({ ok: false, error: 'sent' });
    await exchange.answered;
    expect(exchange.read(10)).toHaveLength(0);
  });

  test('a close drops what is queued', async () => {
    const { exchange, near, sent } = rig('POST');
    await exchange.append(bytes('bye'));
    exchange.close(new VirtualClock());
    await turns();
    expect(sent()).toBe('');
    expect(near.destroyed).toBe(true);
  });

  test('what is flushed goes out, and a close lets go once it is answered, or after two seconds', async () => {
    for (const answered of [true, false]) {
      const clock = new VirtualClock();
      const { exchange, near, far, sent } = rig('POST');
      await exchange.append(bytes('bye'));
      await exchange.flush(clock);
      exchange.close(clock);
      await turns();
      expect(sent()).toMatch(/bye$/);
      expect(near.destroyed).toBe(false);
      if (answered) {
        far.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        await turns();
      } else await clock.advance(2000);
      expect(near.destroyed).toBe(true);
      expect(clock.pending).toBe(0);
    }
  });
});
