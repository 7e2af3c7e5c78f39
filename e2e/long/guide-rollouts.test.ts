import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bashArgs, guideEnv, hasPrograms } from '../bash.ts';
import { eventOf, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';

const folder = dataFolder('guide-rollouts');

test.skipIf(!hasPrograms('curl', 'bash'))(
  'the guide of rollouts works as it stands (needs curl and bash)',
  async () => {
    const guide = await readFile(new URL('../../docs/guide/rollouts.md', import.meta.url), 'utf8');
    const args = ['up', '--data', folder.path, '--port', '0', '--device-port', '0', '--serial', 'none', '--json'];
    const program = moorage(args, { MOORAGE_ADMIN_PASSWORD: 'correct horse' });
    const { api, devices } = await eventOf(program, 'ready');
    await eventOf(program, 'updated');

    const shell = spawn('bash', bashArgs, { env: { ...guideEnv(), XDG_CONFIG_HOME: folder.path } });
    let printed = '';
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    }
    const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
    const script = blocks.join('\n').replace('http://127.0.0.1:8080', String(api));
    shell.stdin.end(script.replace('https://127.0.0.1:8443', String(devices)));
    const [code] = await once(shell, 'close');
    expect(code, printed).toBe(0);
    expect(printed).not.toContain('"statusCode"');

    const lines = printed.split('\n');
    expect(lines).toContain('2 devices');
    // The rollout of a bad bundle has stopped itself, and says why; nine devices were never offered it.
    expect(lines).toContain('exit code 5');
    expect(printed).toMatch(/The rollout is paused: [12] of 2 devices failed: (50|100) %, at least \d+(\.\d)? %/);
    expect(printed).toMatch(/^1 +open +2 +[01] +[12] /m);
    expect(printed).toMatch(/^2 +waiting +4 +0 +0 /m);
    expect(printed).toMatch(/^3 +waiting +5 +0 +0 /m);
    // With the mended one all are done.
    expect(lines).toContain('11 devices');
    expect(printed.match(/The rollout is finished/g)).toHaveLength(2);
    expect(printed).toContain('is frozen; rollouts paused: 0');
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  },
);
