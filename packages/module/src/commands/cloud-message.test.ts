import { describe, expect, test } from 'vitest';
import { activeRig } from '../testing/cloud-rig.ts';

const ids = [1, 2, 3].map((number) => `0000000${number}-1111-4111-8111-111111111111`);
const [first = '', second = '', third = ''] = ids;

async function rig() {
  const made = await activeRig();
  for (const [index, id] of ids.entries()) {
    made.peer.data.messages.push({
      id,
      timestamp: 1_700_000_000 + index,
      headers: { from: 'ada' },
      data: `message ${index + 1}`,
    });
  }
  return made;
}

const listed = (...rows: string[]) => [['0 ! # ID  Timestamp  Length', ...rows].join('\r\n')];

/** Spec: MOD-CMD-cloud_message. */
describe('cloud_message', () => {
  // MOD-OPT-cloud_message-list, MOD-OPT-cloud_message-list-t, MOD-OPT-cloud_message-list-c
  test('list prints index, id, time and length; -t only newer ones, -c only so many', async () => {
    const { run, peer } = await rig();
    expect(await run('cloud_message list')).toEqual(
      listed(`# 0 ${first} 1700000000 9`, `# 1 ${second} 1700000001 9`, `# 2 ${third} 1700000002 9`),
    );
    expect(await run('gme list -c 2')).toEqual(listed(`# 0 ${second} 1700000001 9`, `# 1 ${third} 1700000002 9`));
    expect(await run('gme list -t 1700000002')).toEqual(listed(`# 0 ${third} 1700000002 9`));
    expect(peer.requests.map(({ path }) => path)).toEqual([
      '/device/v1/messages',
      '/device/v1/messages?count=2',
      '/device/v1/messages?since=1700000002',
    ]);
  });

  // MOD-OPT-cloud_message-get, MOD-STREAM-CLOUD
  test('get opens a stream of the message, by index of the last list or by id', async () => {
    const { run } = await rig();
    await run('gme list -c 2');
    expect(await run('gme get 0')).toEqual(['[Opened: 0]', '0 0']);
    expect(await run('stream_list')).toEqual([`0 ! # Type  Info\r\n# 0 CLOUD to-device ${second} (9, 0)`]);
    expect(await run('stream_poll 0')).toEqual(['0 1']);
    expect(await run('stream_read 0 7')).toEqual(['0 message']);
    expect(await run('stream_write 0 1', 'x')).toEqual(['Stream cannot be written', '1 Command failed']);
    // Read to its end, it closes by itself.
    expect(await run('stream_read 0 100')).toEqual(['[Closed: 0]', '0  2']);
    expect(await run(`gme get ${third}`)).toEqual(['[Opened: 0]', '0 0']);
    expect(await run('stream_close 0')).toEqual(['Closing: 0', '[Closed: 0]', '0 Success']);
  });

  test('get reads the oldest message without an index, and looks when nothing has been listed', async () => {
    const { run, module } = await rig();
    await run('gme get');
    expect(await run('stream_read 0 100')).toEqual(['[Closed: 0]', '0 message 1']);
    await module.reboot();
    expect((await run('gme get 2')).at(-1)).toBe('0 0');
    expect(await run('stream_read 0 100')).toEqual(['[Closed: 0]', '0 message 3']);
  });

  test.each([
    ['gme get 0 body', '{"data":"message 1"}'],
    ['gme get body', '{"data":"message 1"}'],
    ['gme get 0 all', '{"headers":{"from":"ada"},"body":{"data":"message 1"}}'],
    ['gme get all', '{"headers":{"from":"ada"},"body":{"data":"message 1"}}'],
  ])('%s gives JSON', async (line, text) => {
    const { run } = await rig();
    await run(line);
    expect(await run('stream_read 0 100')).toEqual(['[Closed: 0]', `0 ${text}`]);
  });

  // MOD-OPT-cloud_message-delete
  test('delete takes an index or an id; the other indexes stay', async () => {
    const { run, peer } = await rig();
    await run('gme list');
    expect(await run('gme delete 0')).toEqual(['0 Success']);
    expect(await run(`gme delete ${second}`)).toEqual(['0 Success']);
    await run('gme get 2');
    expect(await run('stream_read 0 100')).toEqual(['[Closed: 0]', '0 message 3']);
    expect(await run('gme delete 0')).toEqual(['Message not found', '1 Command failed']);
    expect(peer.data.messages).toHaveLength(1);
  });

  // MOD-OPT-cloud_message-post
  test('post opens a stream whose close posts what was written', async () => {
    const { run, peer } = await rig();
    expect(await run('cloud_message post')).toEqual(['[Opened: 0]', '0 0']);
    expect(await run('stream_write 0 6', 'hello ')).toEqual(['0 Success']);
    expect(await run('stream_write 0 6', 'w\u00f6rld')).toEqual(['0 Success']);
    expect(await run('stream_list')).toEqual(['0 ! # Type  Info\r\n# 0 CLOUD from-device (12)']);
    expect(await run('stream_poll 0')).toEqual(['0 0']);
    expect(peer.data.posted).toEqual([]);
    expect(await run('stream_close 0')).toEqual(['Closing: 0', '[Closed: 0]', '0 Success']);
    expect(peer.data.posted).toEqual(['hello w\u00f6rld']);
  });

  test('a message has at most 2,048 bytes, and without any it is not posted', async () => {
    const { run, peer } = await rig();
    await run('gme post');
    await run('stream_write 0 2000', 'x'.repeat(2000));
    expect((await run('stream_write 0 49', 'x'.repeat(49))).at(-1)).toBe('1 Command failed');
    expect(await run('stream_write 0 48', 'x'.repeat(48))).toEqual(['0 Success']);
    await run('set bus.command.write_check_enabled 1');
    expect(await run('stream_write 0 1', 'x')).toEqual(['9 Bounds error']);
    await run('stream_close 0');
    expect(peer.data.posted.map((text) => text.length)).toEqual([2048]);
    await run('gme post');
    expect((await run('stream_close 0')).at(-1)).toBe('0 Success');
    expect(peer.data.posted).toHaveLength(1);
  });

  test('a post that fails says so at the close, and one that is not closed is none', async () => {
    const { run, peer } = await rig();
    await run('gme post');
    await run('stream_write 0 1', 'x');
    peer.refuse('POST /device/v1/messages', 400, 'The box is shut', 'NO_MESSAGE_BOX');
    const shut = ['Closing: 0', 'The box is shut', '[Closed: 0]', 'Message not posted', '1 Command failed'];
    expect(await run('stream_close 0')).toEqual(shut);
    await run('gme post');
    await run('stream_write 0 1', 'x');
    expect(await run('stream_close all')).toEqual(shut);
    await run('gme post');
    await run('stream_write 0 1', Uint8Array.of(0xff));
    expect(await run('stream_close 0')).toEqual([
      'Closing: 0',
      'Message is no UTF-8 text',
      '[Closed: 0]',
      'Message not posted',
      '1 Command failed',
    ]);
    peer.answers.clear();
    await run('gme post');
    await run('stream_write 0 1', 'x');
    await run('network_down');
    expect(peer.data.posted).toEqual([]);
  });

  test('an empty box, an index beyond the list and an unknown id are refused', async () => {
    const { run, peer } = await rig();
    await run('gme list');
    expect(await run('gme get 3')).toEqual(['No such message', '1 Command failed']);
    expect(await run('gme get nobody')).toEqual(['Message not found', '1 Command failed']);
    peer.data.messages.length = 0;
    expect(await run('gme get')).toEqual(['No such message', '1 Command failed']);
  });

  test('without a free handle nothing is asked', async () => {
    const { run, peer } = await rig();
    for (let handle = 0; handle < 8; handle++) await run('gme post');
    peer.requests.length = 0;
    expect(await run('gme get')).toEqual(['No free stream', '1 Command failed']);
    expect(await run('gme post')).toEqual(['No free stream', '1 Command failed']);
    expect(peer.requests).toEqual([]);
  });

  test.each([
    ['cloud_message', '4 Too few arguments'],
    ['cloud_message delete', '4 Too few arguments'],
    ['cloud_message delete 1 2', '5 Too many arguments'],
    ['cloud_message list 1', '5 Too many arguments'],
    ['cloud_message post 1', '5 Too many arguments'],
    ['cloud_message get 0 -c 1', '5 Too many arguments'],
    ['cloud_message post -t 1', '5 Too many arguments'],
    ['cloud_message list -c 0', '7 Invalid argument'],
    ['cloud_message list -c 51', '7 Invalid argument'],
    ['cloud_message list -t x', '7 Invalid argument'],
    ['cloud_message list -z', '6 Unknown variable'],
    ['cloud_message burn', '7 Invalid argument'],
    ['cloud_message get 0 half', '7 Invalid argument'],
  ])('%s is refused', async (line, answer) => {
    const { run, peer } = await rig();
    peer.requests.length = 0;
    expect([await run(line), peer.requests]).toEqual([[answer], []]);
  });
});
