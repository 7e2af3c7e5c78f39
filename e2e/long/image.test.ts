import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const runFile = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const deploy = join(root, 'deploy');
const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const hasCompose = works('docker', 'compose', 'version');
const variables = { HUB: 'hub.example', DATABASE_PASSWORD: 'x', S3_ACCESS_KEY: 'k', S3_SECRET_KEY: 's' };

describe('what deploy/ holds, before the tools that it is for', () => {
  test.skipIf(!works('hadolint', '--version'))('hadolint has nothing to say (left out without it)', async () => {
    await expect(runFile('hadolint', [join(deploy, 'Dockerfile')])).resolves.toMatchObject({ stdout: '' });
  });

  // That of Debian, docker-compose 1.29, knows all but the name of the project.
  test.skipIf(!hasCompose && !works('docker-compose', 'version')).each(['compose.yaml', 'compose.cluster.yaml'])(
    'compose accepts %s (left out without docker compose)',
    async (name) => {
      const [command = '', ...args] = hasCompose ? ['docker', 'compose'] : ['docker-compose'];
      const text = readFileSync(join(deploy, name), 'utf8');
      const child = runFile(command, [...args, '--file', '-', 'config', '--quiet'], {
        cwd: deploy,
        env: { ...process.env, ...variables },
      });
      child.child.stdin?.end(hasCompose ? text : text.replace(/^name: .*\n/m, ''));
      await expect(child).resolves.toMatchObject({ stdout: '' });
    },
  );

  test.skipIf(!works('helm', 'version'))('helm lint finds nothing (left out without helm)', async () => {
    const chart = join(deploy, 'helm', 'moorage');
    const several = ['--set', 'replicas=2,database=postgres://d/m,blobs=s3://m,bus=nats://b'];
    for (const values of [[], several])
      await expect(runFile('helm', ['lint', '--strict', chart, ...values])).resolves.toBeDefined();
  });

  test.skipIf(!works('caddy', 'version'))('caddy accepts its file (left out without caddy)', async () => {
    const args = ['validate', '--adapter', 'caddyfile', '--config', join(deploy, 'Caddyfile')];
    await expect(runFile('caddy', args)).resolves.toBeDefined();
  });
});

const mirror = 'http://deb.debian.org/debian/dists/trixie/Release';
const canWalk =
  works('debootstrap', '--version') &&
  works('unshare', '--mount', 'mount', '--bind', deploy, deploy) &&
  works('curl', '--silent', '--fail', '--head', '--location', '--max-time', '30', mirror);

test.skipIf(!canWalk)(
  'the steps of the Dockerfile lead to a landed update (left out without root, debootstrap and its mirror)',
  async () => {
    const { stdout } = await runFile(process.execPath, [join(root, 'scripts', 'walk-image.ts')], {
      maxBuffer: 2 ** 28,
    });
    expect(stdout).toMatch(/the health check passes\n[\s\S]*has brought a module to its update/);
  },
);
