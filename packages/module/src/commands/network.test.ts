import { VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import { describe, expect, test } from 'vitest';
import { Session } from '../interpreter/session.ts';
import { createModule } from '../module.ts';

async function rig() {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  const store = new MemoryStore();
  const module = await createModule({ clock, store, net: network.attach('module', '10.5.6.108'), seed: 1 });
  const printed: string[] = [];
  await module.boot();
  module.log.attach((line) => printed.push(line));
  const run = async (line: string) => {
    printed.length = 0;
    const { code, text } = await module.execute(line);
    return [...printed, `${code} ${text}`];
  };
  return { clock, module, printed, run, store };
}

const address = ['Obtaining IPv4 address via DHCP', 'IPv4 address: 10.5.6.108', '[Associated]'];
const joins = ['[Associating to harbour-open]', 'Security type from probe: Open', ...address];

/** Spec: MOD-CMD-network_up, MOD-CMD-network_down, MOD-CMD-network_restart. */
describe('network commands', () => {
  test('network_up answers before the join says anything', async () => {
    const { clock, module, printed } = await rig();
    let text = '';
    const session = new Session({
      board: module,
      registry: module.registry,
      origin: 'serial',
      write: (bytes) => {
        text += String(Buffer.from(bytes));
        return true;
      },
      ready: () => {},
      ended: () => {},
    });
    module.variables.set('wlan.ssid', 'harbour-open');
    module.variables.set('system.cmd.header_enabled', true);
    module.variables.set('system.cmd.echo', false);
    module.variables.set('system.cmd.prompt_enabled', false);
    session.receive(Buffer.from('nup\r\n'));
    expect(text).toBe('R000013\r\nIn progress\r\n');
    await clock.advance(0);
    expect(printed).toEqual(joins);
    text = '';
    session.receive(Buffer.from('network_up -i wlan\r\n'));
    expect(text).toBe('R000009\r\nSuccess\r\n');
  });

  test('network_up without a network name fails and says why', async () => {
    const { run } = await rig();
    expect(await run('nup')).toEqual(['SSID not set', '1 Command failed']);
  });

  test('network_up of a running join answers In progress', async () => {
    const { module, run } = await rig();
    module.variables.set('wlan.ssid', 'harbour-open');
    const first = run('nup');
    expect((await first).at(-1)).toBe('0 In progress');
  });

  test('network_up of the soft AP prints its address', async () => {
    const { run } = await rig();
    expect(await run('nup -i softap')).toEqual(['IPv4 address: 10.10.10.1', '0 Success']);
    expect(await run('ndo -i softap')).toEqual(['0 Success']);
    await run('set softap.ssid ""');
    expect(await run('nup -i softap')).toEqual(['SSID not set', '1 Command failed']);
  });

  test('network_down closes the link with a notice, and is harmless without one', async () => {
    const { clock, module, run } = await rig();
    expect(await run('ndo')).toEqual(['0 Success']);
    module.variables.set('wlan.ssid', 'harbour-open');
    await run('nup');
    await clock.advance(0);
    expect(await run('get network.status')).toEqual(['0 2']);
    expect(await run('network_down -i wlan')).toEqual(['[Disassociated]', '0 Success']);
    expect(await run('get network.ip')).toEqual(['0 0.0.0.0']);
  });

  test('network_down leaves files that are open alone', async () => {
    const { module, run } = await rig();
    module.variables.set('wlan.ssid', 'harbour-open');
    await run('file_create -o big.txt 10');
    expect(await run('ndo')).toEqual(['0 Success']);
    expect((await run('list')).at(-1)).toContain('big.txt');
  });

  test('network_restart leaves and joins again', async () => {
    const { clock, module, run, printed } = await rig();
    module.variables.set('wlan.ssid', 'harbour-open');
    await run('nup');
    await clock.advance(0);
    expect((await run('nre'))[0]).toBe('[Disassociated]');
    await clock.advance(0);
    expect(printed).toEqual(['[Disassociated]', '[Associating to harbour-open]', ...address]);
    expect(await run('nre -i softap')).toEqual(['IPv4 address: 10.10.10.1', '0 Success']);
  });

  test.each([
    ['nup -i lan', '7 Invalid argument'],
    ['nup -i', '4 Too few arguments'],
    ['nup -x', '6 Unknown variable'],
    ['nup now', '5 Too many arguments'],
    ['ndo -i lan', '7 Invalid argument'],
    ['ndo now', '5 Too many arguments'],
    ['nre now', '5 Too many arguments'],
  ])('%s is refused', async (line, answer) => {
    const { run } = await rig();
    expect(await run(line)).toEqual([answer]);
  });

  test('network_up -s where no DHCP server can answer fails', async () => {
    const { run } = await rig();
    expect(await run('nup -s')).toEqual(['Scanning for networks...', '1 Command failed']);
  });
});

describe('network_up -s', () => {
  /** Types lines into a session of its own, as a person does: each when the question for it is there. */
  async function dialogue(...typed: readonly string[]) {
    const { clock, module, store } = await rig();
    let text = '';
    const session = new Session({
      board: module,
      registry: module.registry,
      origin: 'serial',
      write: (bytes) => {
        text += String(Buffer.from(bytes));
        return true;
      },
      ready: () => {},
      ended: () => {},
    });
    for (const line of ['nup -s', ...typed]) {
      session.receive(Buffer.from(`${line}\r\n`));
      await clock.advance(0);
    }
    return { text, module, store };
  }

  const table = [
    'Scanning for networks...',
    '! 2 networks found',
    '!  # Ch RSSI MAC (BSSID)       Network (SSID)',
    '#  0  1  -61 02:6D:6F:00:00:01 harbour-open',
    '#  1  6  -47 02:6D:6F:00:00:06 harbour',
    'Type the number # of the network to join: ',
  ].join('\r\n');

  test('a secured network is chosen by number, saved with its password, and joined', async () => {
    const { text, module, store } = await dialogue('1', 'moorings');
    expect(text).toContain(table);
    expect(text).toContain('Type the network password: ');
    expect(text).toContain('Saving network credentials\r\nIn progress\r\n');
    expect(module.wlan.accessPoint?.ssid).toBe('harbour');
    const saved = String(Buffer.from((await store.read('settings')) ?? []));
    expect(saved).toContain('"wlan.ssid":"harbour"');
    expect(saved).toContain('"wlan.passkey":"moorings"');
  });

  test('an open network asks for no password', async () => {
    const { text, module } = await dialogue('0');
    expect(text).not.toContain('Type the network password: ');
    expect(module.wlan.accessPoint?.ssid).toBe('harbour-open');
  });

  test.each([[''], ['2'], ['-1'], ['harbour']])('the number "%s" is an invalid argument', async (number) => {
    const { text, module } = await dialogue(number);
    expect(text).toContain('Invalid argument\r\n');
    expect(module.variables.get('wlan.ssid')).toBe('');
  });

  test('a password that is too short is an invalid argument', async () => {
    const { text, module } = await dialogue('1', 'short12');
    expect(text).toContain('Invalid argument\r\n');
    expect(module.variables.get('wlan.ssid')).toBe('');
  });
});
