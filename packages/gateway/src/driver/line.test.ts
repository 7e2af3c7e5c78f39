import type { Duplex } from 'node:stream';
import { unwrap, VirtualClock } from '@moorage/base';
import { MemoryNetwork } from '@moorage/net/memory';
import { describe, expect, test } from 'vitest';
import { listFiles } from '../module/files.ts';
import { gatewayRig } from '../testing/gateway-rig.ts';
import { answerText } from './driver.ts';
import { openDriver } from './open.ts';

const versionLine = 'Firm-2.1.0.4, Built:2014-11-02 09:30:00 for BW100.2, Board:Eval.1';

/** What a peer sends when it has been sent a line; `undefined` hangs up. */
type Speech = (line: string, stream: Duplex) => string | undefined;

/** A peer of the test's own at a TCP port, and how the gateway gets there. */
async function peerRig(speech: Speech, greeting = '') {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  const net = network.attach('gateway', '10.5.6.2');
  const lines: string[] = [];
  const listening = await network.attach('peer', '10.5.6.9').listen(2000, ({ stream }) => {
    let typed = '';
    stream.write(greeting);
    stream.on('error', () => {});
    stream.on('data', (bytes: Buffer) => {
      typed += bytes.toString('latin1');
      for (let end = typed.search(/\r\n/); end >= 0; end = typed.search(/\r\n/)) {
        const line = typed.slice(0, end);
        typed = typed.slice(end + 2);
        lines.push(line);
        const said = speech(line, stream);
        if (said === undefined) stream.destroy();
        else stream.write(Buffer.from(said, 'latin1'));
      }
    });
  });
  unwrap(listening);
  const until = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false;
    const end = () => {
      settled = true;
    };
    promise.then(end, end);
    for (let step = 0; step < 20_000 && !settled; step++) await clock.advance(20);
    if (!settled) throw new Error('It hangs');
    return promise;
  };
  const open = () => until(openDriver({ net, clock }, 'tcp:peer:2000'));
  return { clock, lines, open, until };
}

/** A plain module at a prompt, without echo, whose other answers are those of `more`. */
const plain =
  (more: Speech = () => 'Unknown command\r\n> '): Speech =>
  (line, stream) =>
    line === '' ? '\r\n> ' : line === 'version' ? `${versionLine}\r\n> ` : more(line, stream);

// The driver gives up by itself, whatever the other side does.
test.each<{ readonly what: string; readonly error: string; readonly speech: Speech; readonly greeting?: string }>([
  { what: 'says nothing', error: 'silent', speech: () => '' },
  { what: 'is something else', error: 'garbled', speech: () => 'login incorrect\r\n' },
  { what: 'talks without end', error: 'garbled', speech: () => 'noise '.repeat(100) },
  { what: 'hangs up', error: 'unreachable', speech: () => undefined },
  { what: 'greets and is silent', error: 'silent', speech: () => '', greeting: 'Welcome\r\n' },
  { what: 'wants a password', error: 'denied', speech: () => 'Password: ', greeting: 'Password: ' },
])('a peer that $what is no module: $error', async ({ error, speech, greeting }) => {
  const { open } = await peerRig(speech, greeting);
  expect(await open()).toMatchObject({ ok: false, error: { error } });
});

test('a terminal that another client has is left alone', async () => {
  const rig = await gatewayRig({ way: 'terminal' });
  const first = await rig.open();
  const second = await rig.until(openDriver(rig.ports, rig.address));
  expect(second).toMatchObject({ ok: false, error: { error: 'in-use', detail: expect.stringContaining('in use') } });
  expect(answerText(unwrap(await rig.until(first.run('get wlan.ssid'))))).toBe('harbour-open');
  await first.close();
});

describe('an answer', () => {
  test.each<readonly [what: string, error: string, answer: string | undefined]>([
    ['never ends', 'garbled', '!  # Type  Flags  Hnd    Size    Version  Filename\r\n#  0 e-FE'],
    ['ends with the line', 'unreachable', undefined],
    [
      'is cut by a reboot',
      'restarted',
      `!  # Type  Flags  Hnd    Size    Version  Filename\r\n#  0 e-FE   0001   73    1853   2.0.0.11  a.txt\r\n${versionLine}\r\n[Ready]\r\n> `,
    ],
    ['lacks a row', 'garbled', '#  1 e-FE   0001   73    1853   2.0.0.11  a.txt\r\n> '],
    [
      'has half a row',
      'garbled',
      '#  0 e-FE   0001   73    18\r\n#  1 e-FE   0001   73    1853   2.0.0.11  a.txt\r\n> ',
    ],
  ])('that %s is none', async (_, error, answer) => {
    const { open, until } = await peerRig(plain((line) => (line === 'ls -v' ? answer : 'Unknown command\r\n> ')));
    const driver = unwrap(await open());
    expect(await until(listFiles(driver))).toMatchObject({ ok: false, error: { error } });
  });

  test('is found with lines of the log before it and behind its prompt', async () => {
    const { open, until } = await peerRig(
      plain((line) =>
        line === 'get wlan.ssid'
          ? '[2024-01-01 | 00:00:00: Closed: 0]\r\nharbour\r\n> [Associated]\r\n'
          : 'Unknown command\r\n> ',
      ),
    );
    const driver = unwrap(await open());
    expect(answerText(unwrap(await until(driver.run('get wlan.ssid'))))).toBe('harbour');
  });

  test('may come slowly and unevenly', async () => {
    const rig = await gatewayRig({ way: 'terminal' });
    rig.meet({ latencyMs: 120, jitterMs: 200 });
    const driver = await rig.open();
    expect(unwrap(await rig.until(listFiles(driver)))).toHaveLength(5);
  });
});

test('data is not sent behind a line that is refused', async () => {
  const { lines, open, until } = await peerRig(plain(() => 'Bounds error\r\n> '));
  const driver = unwrap(await open());
  lines.length = 0;
  expect(await until(driver.run('stream_write 0 8', { data: Buffer.from('reboot\r\n') }))).toMatchObject({
    value: { code: 3 },
  });
  expect(lines).toEqual(['stream_write 0 8']);
});
