import { VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import { expect, test } from 'vitest';
import { createModule } from '../module.ts';
import { neutralPersonality } from '../personality/personality.ts';

async function rig(personality = neutralPersonality) {
  const clock = new VirtualClock();
  const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: 1, personality });
  const rows = async (line: string): Promise<readonly string[]> => (await module.execute(line)).text.split('\r\n');
  return { module, rows };
}

// Spec: MOD-OPT-help-commands.
test('help commands gives name and shortcut of every command that is not hidden', async () => {
  const { module, rows } = await rig();
  const pairs = (await rows('help commands')).map((row) => row.split(':').map((part) => part.trim()));
  expect(pairs).toEqual(module.registry.listed().map(({ name, shortcut }) => [name, shortcut]));
  expect(pairs).toContainEqual(['file_create', 'fcr']);
});

// Spec: MOD-OPT-help-variables.
test('help variables has the full name as second word of every line', async () => {
  const { module, rows } = await rig();
  const names = (await rows('help variables')).map((row) => row.replace(/ +/g, ' ').split(' ')[1]);
  expect(names).toEqual(module.variables.names());
});

// Spec: MOD-OPT-help-all.
test('help all lists commands and variables', async () => {
  const { rows } = await rig();
  const all = await rows('help all');
  expect(all).toEqual(expect.arrayContaining([...(await rows('help commands')), ...(await rows('help variables'))]));
  expect(all[0]).toBe((await rows('help'))[0]);
});

// Spec: MOD-OPT-help-command.
test('help explains every listed command by name and by shortcut', async () => {
  const { module, rows } = await rig();
  for (const { name, shortcut, summary } of module.registry.listed()) {
    const text = await rows(`help ${name}`);
    expect(text[0]).toMatch(new RegExp(`^Usage: ${name}`));
    expect(text[1]).toBe(summary);
    expect(await rows(`? ${shortcut}`)).toEqual(text);
  }
});

// Spec: MOD-OPT-help-variable.
test('help explains every variable by name and by shortcut', async () => {
  const { module, rows } = await rig();
  for (const name of module.variables.names()) {
    const text = await rows(`help ${name}`);
    expect(text[0], name).toContain(`get ${name}`);
    expect(text, name).toHaveLength(2);
  }
  expect((await rows('help wl s'))[0]).toBe('Usage: get wlan.ssid, set wlan.ssid <value>');
  expect((await rows('help ioconn.protocol'))[0]).toBe('Usage: get ioconn.protocol, set ioconn.protocol <tcp/udp/tls>');
  expect((await rows('help nt i'))[0]).toBe('Usage: get ntp.interval, set ntp.interval <300..65535>');
  expect((await rows('help wlan.mac'))[0]).toBe('Usage: get wlan.mac');
});

test.each(['http', 'http-login', 'remote', 'script'] as const)('help shows no example to %s', async (origin) => {
  const personality = { ...neutralPersonality, habits: { ...neutralPersonality.habits, helpExamples: true } };
  const { module } = await rig(personality);
  expect((await module.execute('help file_stat', undefined, { origin })).text).not.toContain('Example');
});

test.each(['help nonsense', 'help commands all', 'help wl s x', 'help ""'])(
  'help refuses %j as unknown',
  async (line) => {
    const { module } = await rig();
    expect((await module.execute(line)).code).toBe(6);
  },
);
