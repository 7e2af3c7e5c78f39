import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { bashArgs, guideEnv, hasPrograms } from '../bash.ts';
import { eventOf, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';
import { blocksOf, endJobs } from '../guide.ts';

const folder = dataFolder('guide-rehearse');

test.skipIf(!hasPrograms('bash'))('the guide of rehearsals works as it stands (needs bash)', async () => {
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
  const blocks = await blocksOf('rehearse.md', 'sh');
  const script = [endJobs, ...blocks].join('\n').replace('http://127.0.0.1:8080', String(api));
  shell.stdin.end(
    `${script.replace('https://127.0.0.1:8443', String(devices))}\ncat "$desk/report.xml" "$desk/report.html"`,
  );
  const [code] = await once(shell, 'close');
  expect(code, printed).toBe(0);

  const lines = printed.split('\n');
  expect(printed).toContain('Rehearsal of "Spring": bundle 1.0.0.1 on 20 twins, 1 run');
  expect(printed).toMatch(/^reached_before_abort +10 % /m);
  expect(printed).toMatch(/^Seed 1: paused after .*: The gate of stage 1 is not met/m);
  expect(printed).toContain('The rehearsal fails: done < 95%\n');
  expect(lines).toContain('exit code 3');
  expect(printed).toMatch(/^Seed 1: finished after /m);
  expect(lines).toContain('The same');
  expect(printed).toContain('<testsuite name="Spring" tests="2" failures="1">');
  expect(printed).toContain('<title>Rehearsal: Spring</title>');
  expect(printed.match(/^Seed 1: finished after /gm)).toHaveLength(2);
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
});
