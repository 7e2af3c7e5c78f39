import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { written } from '../testing/written.ts';
import { ask } from './terminal.ts';

/** The streams of a process, on a terminal or not, and what it has shown. */
function streams(isTTY: boolean) {
  const [stdin, stderr] = [Object.assign(new PassThrough(), { isTTY, setRawMode: () => {} }), new PassThrough()];
  return { stdin, stderr, shown: (): string => written(stderr) };
}

test('lines of a pipe answer one question each, however they come, and its end answers none', async () => {
  const { stdin, stderr, shown } = streams(false);
  const next = () => ask('Password: ', { isSecret: true }, { stdin, stderr });
  stdin.write('first\nsec');
  expect(await next()).toBe('first');
  const second = next();
  stdin.write('ond\r\n');
  stdin.end('last');
  expect(await second).toBe('second');
  expect(await next()).toBe('last');
  expect(await next()).toBeUndefined();
  expect(await next()).toBeUndefined();
  expect(shown()).toBe('');
});

test('a line of a pipe without an end is cut', async () => {
  const { stdin, stderr } = streams(false);
  const answer = ask('', {}, { stdin, stderr });
  stdin.write('x'.repeat(100_000));
  expect(await answer).toHaveLength(65_536);
});

test.each([
  ['shown', false, /^.*Go on\?.*yes/s],
  ['not shown', true, /^Go on\? \n$/],
])('what a person types is %s', async (_, isSecret, output) => {
  const { stdin, stderr, shown } = streams(true);
  const answer = ask('Go on? ', { isSecret }, { stdin, stderr });
  stdin.write('yes\r');
  expect(await answer).toBe('yes');
  expect(shown()).toMatch(output);
});

test('Ctrl-D answers nothing, and so does Ctrl-C, which others hear of', async () => {
  const { stdin, stderr } = streams(true);
  const ended = ask('Go on? ', {}, { stdin, stderr });
  stdin.write('\u0004');
  expect(await ended).toBeUndefined();
  const heard = new Promise((resolve) => process.once('SIGINT', resolve));
  const interrupted = ask('Go on? ', {}, { stdin, stderr });
  stdin.write('\u0003');
  expect(await heard).toBe('SIGINT');
  expect(await interrupted).toBeUndefined();
});
