import { expect, test } from 'vitest';
import { sessionRig } from '../testing/session-rig.ts';

const redraw = { machine: false, habits: { redraw: true } };

// Spec: MOD-LINE-prompt.
test('Session draws prompt and half-typed line again after a line of the log, with the cursor where it was', async () => {
  const { module, send, printed } = await sessionRig(redraw);
  send('get sys\x1b[D');
  printed();
  module.log.line('first');
  module.log.line('second');
  expect(printed()).toBe('\r\x1b[Kfirst\r\n> get sys\b\r\x1b[Ksecond\r\n> get sys\b');
  send('\x05tem.safemode\r');
  expect(printed()).toBe('\x1b[Ctem.safemode\r\n0\r\n> ');
});

test('Session draws a prompt again that nothing stands behind, and none where prompts are off', async () => {
  const { module, send, printed } = await sessionRig(redraw);
  send('\r');
  printed();
  module.log.line('first');
  expect(printed()).toBe('\r\x1b[Kfirst\r\n> ');
  await module.execute('set system.cmd.prompt_enabled 0');
  module.log.line('second');
  expect(printed()).toBe('\r\x1b[Ksecond\r\n');
});

test('Session draws the question of a command again, not the prompt', async () => {
  const { module, send, printed, settle } = await sessionRig(redraw);
  send('asks\rAd');
  await settle();
  printed();
  module.log.line('news');
  expect(printed()).toBe('\r\x1b[Knews\r\nName: Ad');
  send('\x03Eve\r');
  await settle();
  expect(printed()).toBe('^C\r\nName: Eve\r\ngot "Eve"\r\n> ');
});

test('Session draws nothing again while a command runs or takes data', async () => {
  const { module, send, printed, gate, settle } = await sessionRig(redraw);
  send('data\rab');
  printed();
  module.log.line('news');
  expect(printed()).toBe('news\r\n');
  send('cd');
  send('slow\r');
  printed();
  module.log.line('news');
  expect(printed()).toBe('news\r\n');
  gate.resolve();
  await settle();
  expect(printed()).toBe('slow done\r\n> ');
});

test.each(['echo 0', 'header_enabled 1', 'mode machine'])('Session draws nothing again with %s', async (setting) => {
  const { module, send, printed } = await sessionRig(redraw);
  await module.execute(`set system.cmd.${setting}`);
  await module.execute('set system.print_level all');
  send('get sys');
  printed();
  module.log.line('news');
  expect(printed()).toMatch(/^(L000006\r\n)?news\r\n$/);
});

test('Session draws nothing again where the personality does not say so', async () => {
  const { module, send, printed } = await sessionRig({ machine: false });
  send('get sys');
  module.log.line('news');
  expect(printed()).toBe('get sysnews\r\n');
});

// Spec: MOD-RULE-completion.
test.each([
  ['get wlan.ra\t', 'get wlan.rate.protocol '],
  ['get us\t', 'get user.data '],
  ['get al\t', 'get all '],
  ['get time.last\t\t', 'get time.last_set ms '],
  ['get uart.baud a\t', 'get uart.baud all '],
  ['set time.u\t', 'set time.u'],
  ['get time.u\t', 'get time.uptime '],
  ['set wlan.mac \t\t', 'set wlan.mac '],
  ['set system.cmd.mode m\t', 'set system.cmd.mode machine '],
  ['set sy c m h\t', 'set sy c m human '],
  ['set uart.baud 0 96\t', 'set uart.baud 0 9600 '],
  ['set gpio.init 3 input_h\t', 'set gpio.init 3 input_highz '],
  ['set http.server.root_filename he\t', 'set http.server.root_filename hello.txt '],
  ['file_delete he\t', 'file_delete hello.txt '],
  ['file_create he\t', 'file_create he'],
  ['load he\t', 'load hello.txt '],
  ['http_upload -i so\t', 'http_upload -i softap '],
  ['http_upload -i softap http://a h\t', 'http_upload -i softap http://a hello.txt '],
  ['tcps sta\t', 'tcps start '],
  ['gpio_dir 3 no\t', 'gpio_dir 3 none '],
  ['setup scr\t', 'setup script '],
  ['help wlan.m\t', 'help wlan.mac '],
  ['force_safemode \t\t', 'force_safemode '],
])('Session completes %j', async (typed, echo) => {
  const { module, send, printed } = await sessionRig({ machine: false });
  await module.execute('file_create hello.txt 5', Buffer.from('hello'));
  send(typed);
  expect(printed()).toBe(echo);
});

test('Session lists the next level of a group at the first TAB', async () => {
  const { send, printed } = await sessionRig({ machine: false });
  send('get wlan.\t');
  const rows = printed().split('\r\n');
  expect(rows).toContain('wlan.ssid');
  expect(rows).toContain('wlan.auto_join.');
  expect(rows).not.toContain('wlan.auto_join.enabled');
  expect(rows.at(-1)).toBe('> get wlan.');
});

test.each([
  ['help file_stat', { machine: false, habits: { helpExamples: true } }, true],
  ['help file_stat', { machine: false }, false],
  ['help file_stat', { machine: true, habits: { helpExamples: true } }, false],
  ['help wlan.ssid', { machine: false, habits: { helpExamples: true } }, false],
])('Session answers %s with %j: an example %j', async (line, options, shown) => {
  const { send, printed } = await sessionRig(options);
  send(`${line}\r`);
  expect(printed().includes('\r\nExample: file_stat hello.txt\r\n')).toBe(shown);
});
