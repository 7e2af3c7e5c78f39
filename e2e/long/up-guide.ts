import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { bashArgs, guideEnv } from '../bash.ts';
import { eventOf, moorage } from '../command-line.ts';
import { blocksOf, endJobs } from '../guide.ts';

/**
 * Runs the commands of a guide beside a `moorage up` whose module has its update, and `after` them; returns what they
 * printed.
 *
 * @param data folder of the service, and of the logins of the guide
 */
export async function runBesideUp(guide: string, data: string, after = ''): Promise<string> {
  const args = ['up', '--data', data, '--port', '0', '--device-port', '0', '--serial', 'none', '--json'];
  const program = moorage(args, { MOORAGE_ADMIN_PASSWORD: 'correct horse' });
  const { api, devices } = await eventOf(program, 'ready');
  await eventOf(program, 'updated');
  const shell = spawn('bash', bashArgs, { env: { ...guideEnv(), XDG_CONFIG_HOME: data } });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const script = [endJobs, ...(await blocksOf(guide, 'sh')), after]
    .join('\n')
    .replace('http://127.0.0.1:8080', String(api))
    .replace('https://127.0.0.1:8443', String(devices));
  shell.stdin.end(script);
  const [code] = await once(shell, 'close');
  expect(code, printed).toBe(0);
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  return printed;
}
