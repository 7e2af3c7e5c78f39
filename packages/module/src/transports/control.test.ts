import { connect, type Socket } from 'node:net';
import { unwrap } from '@moorage/base';
import { afterEach, describe, expect, test } from 'vitest';
import { moduleRig } from '../testing/module-rig.ts';
import { openControl, parseControl } from './control.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function dial(address: string): Promise<{ socket: Socket; logged: string[] }> {
  const socket = connect({ port: Number(address.split(':').at(-1)), host: '127.0.0.1' });
  cleanups.push(() => socket.destroy());
  const logged: string[] = [];
  socket.on('data', (bytes: Buffer) => logged.push(bytes.toString()));
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return { socket, logged };
}

test('a control port drives and watches the pins of a module', async () => {
  const { module, run } = await moduleRig();
  const control = unwrap(await openControl('127.0.0.1:0', (write) => module.controlPins(write)));
  cleanups.push(control.close);
  const { socket, logged } = await dial(control.address);
  socket.write('{"drive":{"pin":3,"level":1}}\n{"watch":[4]}\n');
  await expect
    .poll(() => logged.join(''))
    .toMatch(/^\{"ok":true\}\n\{"ok":true\}\n\{"pin":4,"level":null,"ms":\d+\}\n$/);
  await run('gdi 3 in');
  expect(await run('gge 3')).toBe('0 1');
  logged.length = 0;
  await run('gdi 4 out');
  await expect.poll(() => logged.join('')).toMatch(/^\{"pin":4,"level":0,"ms":\d+\}\n$/);
  // What is connected stays when the other program goes.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end();
  await closed;
  expect(await run('gge 3')).toBe('0 1');
});

// MOD-STATE-3, MOD-CMD-faults_print
test('a control port resets the module, out of sleep too, and lets its program crash', async () => {
  const { module, logged: lines, run } = await moduleRig();
  const control = unwrap(await openControl('127.0.0.1:0', (write) => module.controlPins(write)));
  cleanups.push(control.close);
  const { socket, logged } = await dial(control.address);
  socket.write('{"fault":"Bus Fault"}\n');
  await expect.poll(() => module.faults.names).toEqual(['Bus Fault']);
  await expect.poll(() => module.power.state).toBe('on');
  expect(await run('faup')).toBe('0 0: Bus Fault, uhandle:00 bhandle:00');
  await module.sleep();
  lines();
  socket.write('{"fault":"Bus Fault"}\n{"reset":true}\n{"reset":1}\n{"fault":"x"}\n');
  await expect.poll(() => lines().at(-1)).toBe('[Ready]');
  expect(module.power.state).toBe('on');
  await expect
    .poll(() => logged.join('').split('\n').slice(0, -1))
    .toEqual([
      '{"ok":true}',
      '{"error":"A module that sleeps has no faults"}',
      '{"ok":true}',
      '{"error":"Key \\"reset\\" wants true"}',
      '{"error":"Key \\"fault\\" wants a name of 2 to 48 printable characters"}',
    ]);
});

test.each([
  ['127.0.0.1:7000', { host: '127.0.0.1', port: 7000 }],
  ['localhost:0', { host: 'localhost', port: 0 }],
  ['[::1]:9', { host: '::1', port: 9 }],
])('%s is an address', (text, expected) => {
  expect(parseControl(text)).toEqual({ ok: true, value: expected });
});

test.each(['', ':1', 'host', 'host:', 'host:x', 'host:65536'])('%j is no address', async (text) => {
  expect(parseControl(text)).toEqual({ ok: false, error: `Control address "${text}" is not HOST:PORT` });
});

test('a control port stays on this machine unless the options say otherwise', async () => {
  const { module } = await moduleRig();
  const refused = await openControl('0.0.0.0:0', (write) => module.controlPins(write));
  expect(refused).toEqual({ ok: false, error: expect.stringContaining('--listen-lan') });
  const open = unwrap(await openControl('0.0.0.0:0', (write) => module.controlPins(write), true));
  await open.close();
});

describe('over HTTP', () => {
  async function rig() {
    const made = await moduleRig();
    const control = unwrap(await openControl('127.0.0.1:0', (write) => made.module.controlPins(write)));
    cleanups.push(control.close);
    const call = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`http://${control.address}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      });
      return `${response.status} ${await response.text()}`;
    };
    return { ...made, call };
  }

  test('pins are driven and read as plain text', async () => {
    const { call, run } = await rig();
    expect(await call('GET', '/pins/3')).toBe('200 ');
    expect(await call('PUT', '/pins/3', '1')).toBe('200 ');
    expect(await call('GET', '/pins/3')).toBe('200 1');
    await run('gdi 3 in');
    expect(await run('gge 3')).toBe('0 1');
    expect(await call('PUT', '/pins/3', '0')).toBe('200 ');
    expect(await run('gge 3')).toBe('0 0');
    expect(await call('PUT', '/pins/3', '')).toBe('200 ');
    expect(await call('PUT', '/pins/7/volts', '1.2')).toBe('200 ');
    expect(await call('GET', '/pins/7/volts')).toBe('200 1.2');
    expect(await run('adc 7 -v')).toBe('0 1200');
    await run('pwm 4 1000 50');
    expect(await call('GET', '/pins/4')).toBe('200 {"hz":1000,"dutyPercent":50}');
  });

  test('the supply is cut and comes back, and what was not saved is lost', async () => {
    const { call, module, run } = await rig();
    await run('set user.data kept');
    await run('save');
    await run('set user.data lost');
    expect(await call('GET', '/power')).toBe('200 1');
    expect(await call('PUT', '/power', '0')).toBe('200 ');
    expect(await call('GET', '/power')).toBe('200 0');
    expect(await call('PUT', '/power', '0')).toBe('200 ');
    expect(await call('PUT', '/reset', '')).toBe('400 The module has no power');
    expect(await call('PUT', '/faults', 'Bus Fault')).toBe('400 The module has no power');
    expect(await call('PUT', '/power', '1')).toBe('200 ');
    await expect.poll(() => module.power.state).toBe('on');
    expect(await call('GET', '/power')).toBe('200 1');
    expect(await run('get user.data')).toBe('0 kept');
  });

  test('a crash is kept as a fault', async () => {
    const { call, module } = await rig();
    expect(await call('PUT', '/faults', 'Bus Fault')).toBe('200 ');
    await expect.poll(() => module.faults.names).toEqual(['Bus Fault']);
    expect(await call('GET', '/faults')).toBe('200 Bus Fault');
  });

  test.each([
    ['GET', '/', undefined, 404],
    ['GET', '/pins/99', undefined, 404],
    ['GET', '/reset', undefined, 405],
    ['POST', '/power', '0', 405],
    ['PUT', '/power', 'off', 400],
    ['PUT', '/pins/99', '1', 400],
    ['PUT', '/pins/3', '2', 400],
    ['PUT', '/faults', 'x', 400],
    ['PUT', '/faults', 'x'.repeat(5000), 413],
  ])('%s %s with %j is refused', async (method, path, body, status) => {
    const { call } = await rig();
    expect(await call(method, path, body)).toMatch(new RegExp(`^${status} .`));
  });

  test('a page of a browser may not call', async () => {
    const { call } = await rig();
    expect(await call('PUT', '/power', '0', { origin: 'https://evil.example' })).toMatch(/^403 /);
    expect(await call('GET', '/power')).toBe('200 1');
  });
});
