import { describe, expect, test } from 'vitest';
import { wordOf } from '../interpreter/tokeniser.ts';
import { lineUser } from '../testing/line-user.ts';
import { networkRig } from '../testing/network-rig.ts';

/** Values with every character that means something to the line. */
const values = [
  'he"llo"123',
  '"quoted"',
  'say "hi" now',
  'back\\slash',
  '\\"both\\"',
  '"',
  '""',
  "it's %22 &",
  '\\x41 as it is',
];

/** Variables that hold any text. */
const names = [
  'wlan.ssid',
  'http.server.password',
  'remote_terminal.password',
  'email.smtp.password',
  'user.data',
] as const;

// Spec: MOD-LINE-words. Reference: line 1.1.
describe.each(names)('%s', (name) => {
  test.each(values)('holds %j, set over HTTP, on the serial line and by a script', async (value) => {
    const rig = await networkRig();
    const spelt = name === 'wlan.ssid' ? value.replace(/\\(?=x)/g, '\\x5C') : value;
    const line = `set ${name} ${wordOf(spelt)}`;
    const read = (): string => rig.module.variables.get(name);
    const clear = `set ${name} ""`;
    expect(await rig.run(line)).toBe('0 Set OK');
    expect(read()).toBe(value);
    await rig.run(clear);
    await lineUser(rig.module, rig.pass).type(`${line}\r`);
    expect(read()).toBe(value);
    await rig.run(clear);
    await rig.run(`file_create s ${line.length}`, line);
    expect(await rig.run('setup script s')).toBe('0 Success');
    expect(read()).toBe(value);
    expect(await rig.run('save kept')).toBe('0 Success');
    await rig.run(clear);
    expect(await rig.run('load kept')).toBe('0 Success');
    expect(read()).toBe(value);
  });
});

test('a passphrase of 64 characters that are no hex digits is none', async () => {
  const { run } = await networkRig();
  for (const name of ['wlan.passkey', 'softap.passkey']) {
    expect(await run(`set ${name} ${'f'.repeat(64)}`)).toBe('0 Set OK');
    expect(await run(`set ${name} ${'g'.repeat(64)}`)).toBe('7 Invalid argument');
  }
});

// Spec: MOD-CMD-gpio_dir, MOD-VAR-gpio.init.
test.each(['0', '1', '2', '3', '4', '5', '-1', 'none', 'ipu', 'ouput_od', 'output_push_pull', '6', 'sideways'])(
  'gpio.init takes %s as gpio_dir does',
  async (direction) => {
    const { run } = await networkRig();
    const taken = await run(`gpio_dir 12 ${direction}`);
    await run('gpio_dir 12 none');
    expect(await run(`set gpio.init 12 ${direction}`)).toBe(taken);
  },
);

test.each([
  ['quay', 'quay'],
  ['quay.local', 'quay'],
  ['Quay.LOCAL', 'Quay'],
  ['a.b', 'a.b'],
])('mdns.name %s is announced as %s.local', async (name, announced) => {
  const rig = await networkRig();
  await rig.runAll(`set mdns.name ${name}`, 'set mdns.enabled 1');
  await rig.join(5_000);
  expect(rig.said()).toContain(`mDNS domain: ${announced}.local`);
});

test.each(['-bad', 'bad-', 'a.-b', 'a-.local'])('mdns.name %s is no name of a host', async (name) => {
  const { run } = await networkRig();
  expect(await run(`set mdns.name ${name}`)).toBe('7 Invalid argument');
});
