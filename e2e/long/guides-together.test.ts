import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { hasPrograms, runScript } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { blocksOf } from '../guide.ts';

const folder = new URL('../../docs/guide/', import.meta.url);

/** Guides that need a service and nothing else. */
const together = ['service.md', 'alerts.md'];

/** Parts of guides that make what their clients need, which other machines have. */
const beginnings = ['device-sdk.md', 'mender.md', 'rauc.md', 'swupdate.md'];

afterEach(killAll);

test('every guide that calls the API signs in by the one file', async () => {
  const guides = (await readdir(folder)).filter((name) => name.endsWith('.md'));
  const texts = await Promise.all(guides.map(async (name) => [name, await readFile(new URL(name, folder), 'utf8')]));
  const alone = texts.filter(([, text = '']) =>
    text.matchAll(/^```sh\n(.*?)^```/gms).some(([block]) => /token=.*auth\/login|\bfield\(\)/.test(block)),
  );
  expect(alone.map(([name]) => name)).toEqual([]);
});

test.skipIf(!hasPrograms('curl', 'bash'))(
  'guides work one after another and again, with the password that the first start has printed (needs curl and bash)',
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
    const password = 'printed by the first start';
    const smtp = ['--smtp-url', 'smtp://127.0.0.1:2525'];
    const service = moorage(['serve', '--data', data, '--port', '0', '--device-port', '0', '--json', ...smtp], {
      MOORAGE_ADMIN_PASSWORD: password,
    });
    const { api } = await eventOf(service, 'ready');
    const run = (script: string, secret = password) =>
      runScript(`MOORAGE_PASSWORD='${secret}'\n${script.replace('http://127.0.0.1:8080', String(api))}`);
    for (const round of [1, 2]) {
      for (const guide of together) {
        const { status, stdout, stderr } = run((await blocksOf(guide, 'sh')).join('\n'));
        expect([round, guide, status, stderr]).toEqual([round, guide, 0, '']);
        expect(stdout).not.toContain('"statusCode"');
      }
      for (const guide of beginnings) {
        const [begin = ''] = await blocksOf(guide, 'sh');
        const { status, stderr } = run(begin);
        expect([round, guide, status, stderr]).toEqual([round, guide, 0, '']);
      }
    }
    const wrong = run(`${(await blocksOf('service.md', 'sh')).join('\n')}\necho went on`, 'another password');
    expect(wrong.status).not.toBe(0);
    expect(wrong.stdout).not.toContain('went on');
    expect(wrong.stderr).toContain('MOORAGE_PASSWORD has to be the password that the first start has printed');
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    await rm(data, { recursive: true });
  },
);
