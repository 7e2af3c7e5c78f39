import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock, unwrap } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import { afterEach, describe, expect, test } from 'vitest';
import { createModule, type Module } from '../src/module.ts';
import { openControl } from '../src/transports/control.ts';
import { openSerial } from '../src/transports/open.ts';
import { background, missingProgram, output } from './interop.ts';

// Emulators and test benches that are not ours beside a module: docs/guide/beside-firmware.md.

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const folder = mkdtempSync(join(tmpdir(), 'firmware-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

async function servedModule(): Promise<Module> {
  const net = new MemoryNetwork(realClock).attach('module', '10.5.6.108');
  const module = await createModule({ clock: realClock, net, store: new MemoryStore(), seed: 1 });
  await module.boot();
  cleanups.push(() => module.close());
  return module;
}

/** Sends a text on the second UART of the board, and what comes there to the first. Words of ARM, and what they say. */
const program = [
  [0xe3a00201, 'mov r0, #0x10000000'],
  [0xe380081f, 'orr r0, r0, #0x1f0000'],
  [0xe3800a02, 'orr r0, r0, #0x2000 ; the second UART'],
  [0xe3a01201, 'mov r1, #0x10000000'],
  [0xe381181f, 'orr r1, r1, #0x1f0000'],
  [0xe3811a01, 'orr r1, r1, #0x1000 ; the first'],
  [0xe28f2028, 'adr r2, text'],
  [0xe4d23001, 'send: ldrb r3, [r2], #1'],
  [0xe3530000, 'cmp r3, #0'],
  [0x0a000001, 'beq receive'],
  [0xe5803000, 'str r3, [r0]'],
  [0xeafffffa, 'b send'],
  [0xe5903018, 'receive: ldr r3, [r0, #0x18]'],
  [0xe3130010, 'tst r3, #0x10 ; nothing has come'],
  [0x1afffffc, 'bne receive'],
  [0xe5903000, 'ldr r3, [r0]'],
  [0xe5813000, 'str r3, [r1]'],
  [0xeafffff9, 'b receive'],
] as const;

function firmware(): string {
  const words = Buffer.alloc(4 * program.length);
  for (const [index, [word]] of program.entries()) words.writeUInt32LE(word, 4 * index);
  const path = join(folder, 'firmware.bin');
  writeFileSync(path, Buffer.concat([words, Buffer.from('get system.safemode\n\0')]));
  return path;
}

const qemu = 'qemu-system-arm';
const noQemu = missingProgram(qemu);

describe.skipIf(noQemu !== '')(`an emulated board (${noQemu || qemu})`, () => {
  test('talks to the module, which calls its UART', async () => {
    const module = await servedModule();
    const board = ['-M', 'versatilepb', '-nographic', '-monitor', 'none', '-audiodev', 'none,id=none'];
    const lines = ['-serial', 'stdio', '-serial', 'tcp:127.0.0.1:0,server=on,wait=on'];
    const emulator = await background(qemu, [...board, '-kernel', firmware(), ...lines], /waiting for connection/);
    cleanups.push(() => emulator.stop());
    const port = await listeningPort(emulator.child.pid ?? 0);
    const serial = unwrap(await openSerial(`tcp-connect:127.0.0.1:${port}`, module));
    cleanups.push(() => serial.close());
    await expect.poll(emulator.said, { timeout: 20_000 }).toContain('get system.safemode\r\n0\r\n> ');
  });
});

/** The port on which a process, or one that it has started, listens. */
async function listeningPort(pid: number): Promise<number> {
  const listed = await output('sh', [
    '-c',
    `ss -ltnpH | grep -E 'pid=(${pid}|'"$(pgrep -P ${pid} | paste -sd'|')"'),'`,
  ]);
  return Number(/127\.0\.0\.1:(\d+)/.exec(listed)?.[1]);
}

const python = ['python3', '/usr/bin/python3'].find((each) => spawnSync(each, ['-c', 'import labgrid']).status === 0);

describe.skipIf(python === undefined)(`labgrid${python ? '' : ' (the Python package labgrid is not there)'}`, () => {
  test('switches the power and drives pins with its own drivers', async () => {
    const module = await servedModule();
    const control = unwrap(await openControl('127.0.0.1:0', (write) => module.controlPins(write)));
    cleanups.push(() => control.close());
    const url = `http://${control.address}`;
    const environment = join(folder, 'labgrid.yaml');
    writeFileSync(
      environment,
      `targets:
  main:
    resources:
      NetworkPowerPort: { model: rest, host: '${url}/power', index: 0 }
      HttpDigitalOutput: { url: '${url}/pins/3', body_asserted: '1', body_deasserted: '0' }
    drivers:
      NetworkPowerDriver: { delay: 0.1 }
      HttpDigitalOutputDriver: {}
`,
    );
    const script = `
from labgrid import Environment
target = Environment('${environment}').get_target('main')
power, pin = target.get_driver('NetworkPowerDriver'), target.get_driver('HttpDigitalOutputDriver')
print(power.get(), end=' '); power.off(); print(power.get(), end=' '); power.on(); print(power.get(), end=' ')
pin.set(True); print(pin.get(), end=' '); pin.set(False); print(pin.get())
`;
    expect(await output(python ?? '', ['-c', script])).toContain('True False True True False');
  });
});
