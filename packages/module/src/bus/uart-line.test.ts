import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { loadPersonality } from '../personality/personality.ts';
import { busRig, PeerStream } from '../testing/bus-rig.ts';
import type { LineSettings } from './line-settings.ts';
import type { ModemLines, SerialPeer } from './uart-line.ts';

const paced = unwrap(loadPersonality('{"timings":{"serialPace":1,"saveMs":900}}'));

/** A host with a UART of its own. */
class HostUart implements SerialPeer {
  settings: Partial<LineSettings> = {};
  rts = true;
  breaking = false;
  heedsCts = false;
  suspended = false;
  lines: ModemLines | undefined;
  readonly errors: string[] = [];
  change: () => void = () => {};

  joined(changed: () => void): void {
    this.change = changed;
  }

  modem(lines: ModemLines): void {
    this.lines = lines;
  }

  misheard({ framing, parity }: { framing: boolean; parity: boolean }): void {
    this.errors.push(`${framing ? 'framing' : ''}${parity ? 'parity' : ''}`);
  }

  /** Changes something, and says so. */
  set(change: Partial<Pick<HostUart, 'settings' | 'rts' | 'breaking' | 'heedsCts' | 'suspended'>>): void {
    Object.assign(this, change);
    this.change();
  }
}

describe('with the times of the hardware', () => {
  // MOD-VAR-uart.baud
  test.each([
    ['115200', 10 / 115.2],
    ['9600', 10 / 9.6],
    ['1200', 10 / 1.2],
  ])('at %s baud each byte takes its time, both ways', async (baud, byteMs) => {
    const { attach, restart, pass } = await busRig({ personality: paced });
    const host = attach();
    await restart(`uart.baud 0 ${baud}`, 'system.cmd.mode machine');
    host.received();
    const line = 'get bus.data_bus\n';
    const answer = 'R000007\r\nuart0\r\n';
    host.type(line);
    await pass(line.length * byteMs);
    expect(host.received()).toBe('');
    await pass(answer.length * byteMs - 0.01);
    expect(host.received().length).toBeLessThan(answer.length);
    await pass(0.02);
    host.type(line);
    await pass((line.length + answer.length) * byteMs + 0.01);
    expect(host.received().endsWith(answer)).toBe(true);
  });

  // MOD-BUS-overrun, MOD-VAR-bus.command.rx_bufsize
  test('what comes while a command runs and does not fit into the buffer is lost without flow control', async () => {
    const { attach, pass } = await busRig({ personality: paced });
    const host = attach();
    host.type('save\r');
    await pass(2);
    host.type('x'.repeat(2000));
    await pass(1200);
    host.type('\r');
    await pass(500);
    const [, echoed = ''] = /> (x*)\r\n/.exec(host.received()) ?? [];
    expect(echoed).toHaveLength(256);
  });

  // MOD-VAR-uart.flow
  test('with flow control it waits, and all of it arrives', async () => {
    const { attach, restart, pass } = await busRig({ personality: paced });
    const host = attach();
    await restart('uart.flow 0 1', 'bus.command.rx_bufsize 4096');
    await restart('bus.command.rx_bufsize 300');
    host.received();
    host.type('save\r');
    await pass(2);
    const lines = Array.from({ length: 100 }, (_, at) => `get ${'y'.repeat(at)}\r`).join('');
    host.type(lines);
    await pass(30_000);
    expect(host.received().match(/Unknown variable|Too few/g)).toHaveLength(100);
  });

  test('in stream mode the buffer is as long as a packet', async () => {
    const { attach, restart, connect, pass } = await busRig({ personality: paced });
    const host = attach();
    await restart('bus.mode stream', 'bus.stream.flush_count 1000', 'bus.stream.flush_time 0');
    const peer = new PeerStream();
    connect(peer);
    const gate = Promise.withResolvers<void>();
    peer.stalled = gate.promise;
    host.type('a'.repeat(10_000));
    await pass(1_000);
    gate.resolve();
    peer.stalled = undefined;
    await pass(10);
    host.type('b'.repeat(1000));
    await pass(100);
    // One packet on its way, one that is collected, and the buffer of the UART.
    expect(peer.sent().match(/a/g)).toHaveLength(3000);
  });

  test('serial bytes of a fast network wait for the line', async () => {
    const { attach, restart, connect, pass } = await busRig({ personality: paced });
    const host = attach();
    await restart('bus.mode stream');
    const peer = new PeerStream();
    connect(peer);
    await pass(100);
    host.received();
    peer.send('z'.repeat(11_520));
    await pass(500);
    expect(host.received().length).toBeGreaterThan(5700);
    await pass(505);
    expect(host.received().length).toBeGreaterThan(5700);
  });
});

describe('a host with a UART of its own', () => {
  async function connected(...settings: string[]) {
    const rig = await busRig();
    const uart = new HostUart();
    const host = rig.attach({ peer: uart });
    await rig.restart('system.cmd.mode machine', ...settings);
    host.received();
    return { ...rig, host, uart };
  }

  // MOD-CMD-uart_update, MOD-SET-apply
  test('uart_update answers at the old rate, then both have to change', async () => {
    const { host, uart, pass } = await connected();
    uart.set({ settings: { baud: 115_200 } });
    host.type('set uart.baud 0 9600\nget bus.mode\n');
    await pass(0);
    expect(host.received()).toBe('R000008\r\nSet OK\r\nR000009\r\ncommand\r\n');
    host.type('uart_update 0\n');
    await pass(0);
    expect(host.received()).toBe('R000009\r\nSuccess\r\n');
    host.type('get bus.mode\n');
    await pass(0);
    expect(host.received()).not.toContain('command');
    uart.set({ settings: { baud: 9600 } });
    host.type('\nget bus.mode\n');
    await pass(0);
    expect(host.received()).toMatch(/R000009\r\ncommand\r\n$/);
  });

  test('uart_update of one UART leaves the other as it is, and refuses a third', async () => {
    const { module, run } = await connected();
    await run('set uart.baud 0 9600');
    await run('set uart.parity 1 even');
    expect(await run('uartu 1')).toBe('0 Success');
    await module.clock.after(0, () => {});
    expect(module.bus.uart(0).baud).toBe(115_200);
    expect(await run('uart_update 2')).toBe('7 Invalid argument');
    expect(await run('uart_update')).toBe('4 Too few arguments');
  });

  // MOD-SET-apply, MOD-VAR-uart.data, MOD-VAR-uart.stop, MOD-VAR-uart.parity
  test('uart.* acts at boot', async () => {
    const { module, run, restart } = await connected();
    await run('set uart.data 0 7');
    expect(module.bus.uart(0).dataBits).toBe(8);
    await restart('uart.stop 0 2', 'uart.parity 0 odd');
    expect(module.bus.uart(0)).toEqual({ baud: 115_200, dataBits: 7, parity: 'odd', stopBits: 2, flow: false });
  });

  test('gets framing and parity errors when it is set otherwise', async () => {
    const { host, uart, module, pass } = await connected('uart.parity 0 even', 'system.print_level all');
    uart.set({ settings: { parity: 'odd' } });
    module.log.line('x');
    await pass(0);
    expect(uart.errors).toEqual(['parity']);
    expect(host.received()).toBe('');
  });

  // MOD-VAR-uart.flow
  test('its RTS stops the module only while flow control is on', async () => {
    const { host, uart, run, pass } = await connected();
    uart.set({ rts: false });
    host.type('get bus.mode\n');
    await pass(0);
    expect(host.received()).toBe('R000009\r\ncommand\r\n');
    await run('set uart.flow 0 1');
    await run('uart_update 0');
    await pass(0);
    host.type('get bus.mode\n');
    await pass(0);
    expect(host.received()).toBe('');
    uart.set({ rts: true });
    expect(host.received()).toBe('R000009\r\ncommand\r\n');
  });

  test('its wish to wait stops the module whatever the flow control', async () => {
    const { host, uart, pass } = await connected();
    uart.set({ suspended: true });
    host.type('get bus.mode\n');
    await pass(0);
    expect(host.received()).toBe('');
    uart.set({ suspended: false });
    expect(host.received()).toBe('R000009\r\ncommand\r\n');
  });

  test('sends nothing while it breaks', async () => {
    const { host, uart, pass } = await connected();
    uart.set({ breaking: true });
    host.type('get bus.mode\n');
    uart.set({ breaking: false });
    host.type('get bus.data_bus\n');
    await pass(0);
    expect(host.received()).toBe('R000007\r\nuart0\r\n');
  });

  test('sees the module go off and on, and its RTS when the buffer is full', async () => {
    const { host, uart, module, restart, run, clock, pass } = await connected();
    expect(uart.lines).toEqual({ cts: true, dsr: true });
    await run('set system.wakeup.timeout 5');
    await module.sleep();
    expect(uart.lines?.dsr).toBe(false);
    await clock.advance(6_000);
    expect(uart.lines?.dsr).toBe(true);
    await restart('uart.flow 0 1', 'bus.mode stream');
    await pass(0);
    expect(host.stream.destroyed).toBe(false);
    expect(uart.lines).toEqual({ cts: true, dsr: true });
  });

  test.each([true, false])('that heeds CTS: %j, is paced by CTS with the times of the hardware', async (heedsCts) => {
    const { attach, restart, pass } = await busRig({ personality: paced });
    const uart = new HostUart();
    uart.heedsCts = heedsCts;
    const host = attach({ peer: uart });
    await restart('uart.flow 0 1');
    host.received();
    host.type('save\r');
    await pass(2);
    host.type('x'.repeat(1000));
    await pass(100);
    expect(uart.lines?.cts).toBe(false);
    await pass(2_000);
    expect(uart.lines?.cts).toBe(true);
    const echoed = host.received().match(/x/g)?.length;
    // The line is cut at 256 characters, but each that came is echoed or answered by a bell.
    expect(echoed).toBe(256);
    expect(host.stream.readableLength).toBe(0);
  });
});
