import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { databaseSource } from '@moorage/service/testing/index';
import { freePort } from '@moorage/service/testing/postgres-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasPrograms, runScript } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { blocksOf, endJobs } from '../guide.ts';

const monitoring = new URL('../../docs/monitoring/', import.meta.url);
const rules = await readFile(new URL('prometheus-rules.yml', monitoring), 'utf8');
const dashboard = await readFile(new URL('grafana-dashboard.json', monitoring), 'utf8');
const postgres = databaseSource('postgres', { holds: 'nothing' });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moorage-guide-operate-'));
});
afterAll(async () => {
  killAll();
  await postgres.remove();
  await rm(folder, { recursive: true, force: true });
});

describe('files for monitors', () => {
  let figures: string;
  beforeAll(async () => {
    const service = moorage(
      [
        'serve',
        '--data',
        join(folder, 'figures'),
        '--port',
        '0',
        '--device-port',
        '0',
        '--ops-port',
        '127.0.0.1:0',
        '--json',
      ],
      { MOORAGE_DEVICE_INSECURE: '1' },
    );
    const ready = await eventOf(service, 'ready');
    await fetch(`${ready.api}/healthz`);
    await fetch(`${String(ready.devices).replace('https:', 'http:')}/info`);
    figures = await (await fetch(`${ready.ops}/metrics`)).text();
  });

  const asked = (text: string): string[] => [...new Set(text.match(/\b(?:moorage|nodejs|process)_\w+/g))];
  test.each([
    ['alerts', rules],
    ['dashboard', dashboard],
  ])('name only figures and labels that the service gives: %s', (_title, text) => {
    const names = asked(text);
    expect(names.length).toBeGreaterThan(6);
    // A gauge by state has its name in the header when there is nothing to count yet.
    for (const name of names) expect(figures, name).toMatch(new RegExp(`^(# TYPE )?${name}[ {]`, 'm'));
    const selectors = [...text.matchAll(/(moorage_\w+)\{([^}]*)\}/g)];
    for (const [, name = '', inner = ''] of selectors) {
      for (const [, label] of inner.matchAll(/(\w+)(?:=~|!~|!=|=)/g)) {
        if (label === 'state') continue;
        expect(figures, `${name} ${label}`).toMatch(new RegExp(`^${name}\\{[^}]*\\b${label}="`, 'm'));
      }
    }
    if (text.includes('listener=')) expect(figures).toContain('listener="devices"');
  });

  test('the dashboard has a place for each of its panels', () => {
    const { panels } = JSON.parse(dashboard) as {
      panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[];
    };
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  test.skipIf(!hasPrograms('promtool'))("promtool takes the alerts (needs promtool of Debian's prometheus)", () => {
    const file = fileURLToPath(new URL('prometheus-rules.yml', monitoring));
    const checked = spawnSync('promtool', ['check', 'rules', '--lint-fatal', file], { encoding: 'utf8' });
    expect(checked.status, checked.stdout + checked.stderr).toBe(0);
    expect(checked.stdout).toContain('SUCCESS: 11 rules found');
  });

  test.skipIf(!hasPrograms('promtool'))(
    "devices count as silent when none calls and none holds a channel (needs promtool of Debian's prometheus)",
    async () => {
      const calls = 'moorage_http_request_duration_seconds_count{listener="devices",instance="a"}';
      const channels = 'moorage_channels{instance="a"}';
      const silent = {
        exp_labels: { severity: 'critical' },
        exp_annotations: { summary: /No device has called[^"]*/.exec(rules)?.[0] },
      };
      const scene = (series: Record<string, string>, isSilent: boolean) => ({
        interval: '1m',
        input_series: Object.entries({ 'moorage_devices{state="active",instance="a"}': '5x60', ...series }).map(
          ([name, values]) => ({ series: name, values }),
        ),
        alert_rule_test: [
          { eval_time: '50m', alertname: 'MoorageDevicesSilent', exp_alerts: isSilent ? [silent] : [] },
        ],
      });
      const tests = [
        // All nodes were restarted, and no call has come since: there is no series of calls.
        scene({ [channels]: '0x60' }, true),
        scene({ [channels]: '0x60', [calls]: '7x60' }, true),
        // A fleet of channels does not poll.
        scene({ [channels]: '3x60', [calls]: '7x60' }, false),
        scene({ [channels]: '0x60', [calls]: '0+60x60' }, false),
      ];
      const file = join(folder, 'rules.test.json');
      const rule_files = [fileURLToPath(new URL('prometheus-rules.yml', monitoring))];
      await writeFile(file, JSON.stringify({ rule_files, evaluation_interval: '1m', tests }));
      const run = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      expect(run.status, run.stdout + run.stderr).toBe(0);
    },
  );
});

test.skipIf(!hasPrograms('curl', 'bash'))(
  'the commands for operators work as they stand (needs curl and bash)',
  async () => {
    const database = await postgres.make();
    const ports: Record<string, number> = {};
    for (const port of ['8080', '8443', '8081', '8444', '9090', '9091']) ports[port] = await freePort();
    const place = await mkdtemp(join(folder, 'commands-'));
    // Devices go by the old authority for another minute: it is retired after that, and refused now.
    const script = (await blocksOf('operate.md', 'sh'))
      .join('\n')
      .replace(/.*bin\/moorage authority retire/, '! $&')
      .replaceAll('postgres://moorage:secret@127.0.0.1/moorage', database)
      .replaceAll('/var/lib', place)
      .replaceAll('/var/backups/moorage', join(place, 'backups'))
      .replaceAll(/\b(?:8080|8443|8081|8444|9090|9091)\b/g, (port) => String(ports[port]));
    // The first ones have the ports that nothing names; a script that fails leaves nothing behind.
    const run = runScript(`export MOORAGE_PORT=0 MOORAGE_DEVICE_PORT=0\n${endJobs}\n${script}`, 240_000);
    expect(run.status, run.stdout + run.stderr).toBe(0);
    const counts = (verb: string) =>
      Array.from(
        run.stdout.matchAll(new RegExp(`^${verb} .*?: (\\d+) records and (\\d+) file contents`, 'gm')),
        ([, rows]) => Number(rows),
      );
    const [daily, toPostgres, toSqlite] = counts('Backed up');
    expect(counts('Restored')).toEqual([daily, toPostgres, toSqlite]);
    expect(daily).toBeGreaterThan(5);
    expect(run.stdout).toContain('moorage_part_up{part="database"} 1');
    expect(run.stdout.match(/devices that go by it: 0/g)?.length).toBeGreaterThan(3);
    expect(run.stderr).toMatch(/Authority .* signs from a minute after it was made/);
    // On a busy machine a connection to the database may take too long; it is made again.
    const errors = run.stderr.split('\n').filter((line) => line.includes('"level":50'));
    expect(errors.filter((line) => !line.includes('connection timeout'))).toEqual([]);
  },
);
