import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Aedes } from 'aedes';
import { afterEach, expect, test } from 'vitest';
import { bashArgs, guideEnv, hasPrograms } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { blocksOf, endJobs } from '../guide.ts';

afterEach(killAll);

/** Its clients end with a status of their own when they say their version. */
const hasClients = ['mosquitto_sub', 'mosquitto_pub'].every((name) => !spawnSync(name, ['--help']).error);

test.skipIf(!hasPrograms('curl', 'bash') || !hasClients)(
  'the guide to Home Assistant works as it stands (needs curl, bash and the package mosquitto-clients)',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
    const broker = await Aedes.createBroker();
    const listener = createServer(broker.handle).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    // Safe: it listens on TCP.
    const { port } = listener.address() as AddressInfo;
    const places = ['--data', join(folder, 'data'), '--port', '0', '--device-port', '0', '--serial', 'tcp:127.0.0.1:0'];
    const program = moorage(['up', ...places, '--connector-allow', '127.0.0.0/8', '--json'], {
      MOORAGE_ADMIN_PASSWORD: 'correct horse',
    });
    const { api } = await eventOf(program, 'ready');
    await eventOf(program, 'updated');
    const commands = (await blocksOf('home-assistant.md', 'sh'))
      .join('\n')
      .replace('http://127.0.0.1:8080', String(api))
      .replace('127.0.0.1:1883', `127.0.0.1:${port}`);
    // The broker is in this process, which must not wait for the script.
    const script = spawn('bash', [...bashArgs, '-c', `${endJobs}\n${commands}`], { env: guideEnv(), timeout: 300_000 });
    const [printed, errors, [status]] = await Promise.all([
      text(script.stdout),
      text(script.stderr),
      once(script, 'close'),
    ]);
    expect([status, errors.replace(/^Timed out\n/gm, '')]).toEqual([0, '']);
    expect(printed.trim().split('\n')).toEqual(['switch', 'online', '0', '1', 'ok']);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    listener.close();
    await rm(folder, { recursive: true });
  },
);
