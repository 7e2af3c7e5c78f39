import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { lanOption, readServiceSettings, withServiceOptions } from '../packages/moorage/src/commands/serve.ts';
import { variableOf } from '../packages/service/src/engine/settings/options.ts';
import { readDockerfile, readList, readPairs } from './support/dockerfile.ts';
import { root } from './support/project.ts';

const read = (...names: string[]): string => readFileSync(join(root, 'deploy', ...names), 'utf8');
const variables = new Set(Object.keys(withServiceOptions(lanOption)).map(variableOf));
const unknown = (names: readonly string[]): string[] => names.filter((name) => !variables.has(name));

/** Settings of a service that has these variables. */
const settingsOf = (env: Record<string, string>) => {
  const { MOORAGE_LISTEN_LAN: _, ...own } = env;
  return readServiceSettings({ flags: {}, env: own, file: {} });
};

const image = readDockerfile(read('Dockerfile')).at(-1);
const stepOf = (name: string): string => image?.steps.filter((step) => step.name === name).at(-1)?.text ?? '';
const imageEnvironment = (): Record<string, string> => {
  const { NODE_ENV: _, ...own } = readPairs(stepOf('ENV'));
  return own;
};

describe('the Dockerfile', () => {
  test('is of stages on the same release of a distribution, and ends as a user without rights', () => {
    const stages = readDockerfile(read('Dockerfile'));
    expect(stages.map(({ from }) => from)).toEqual(['debian:13.1-slim', 'debian:13.1-slim']);
    expect(stepOf('USER')).toBe('10001:10001');
    expect(readPairs(stepOf('ARG'))).toEqual({ VERSION: manifest.version });
  });

  test('sets what the program knows, and exposes and checks the ports that it then has', () => {
    expect(unknown(Object.keys(imageEnvironment()))).toEqual([]);
    const { data, host, port, devicePort, opsPort } = settingsOf(imageEnvironment());
    expect(host).toBe('0.0.0.0');
    expect(stepOf('EXPOSE').split(' ').map(Number)).toEqual([port, devicePort, opsPort?.port]);
    expect(stepOf('HEALTHCHECK')).toContain(`http://127.0.0.1:${opsPort?.port}/healthz`);
    expect(readList(stepOf('VOLUME'))).toEqual([data]);
    expect(readList(stepOf('CMD'))).toEqual(['serve']);
  });

  test('leaves out of its context what no clone has', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', 'data', '**/node_modules', '**/dist']));
  });
});

interface Composed {
  readonly environment: Record<string, string>;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs: readonly string[];
}

const files = {
  'compose.yaml': { HUB: 'hub.example' },
  'compose.cluster.yaml': { HUB: 'hub.example', DATABASE_PASSWORD: 'x', S3_ACCESS_KEY: 'k', S3_SECRET_KEY: 's' },
} as const;

/** The services of a compose file, with these variables put in. */
function servicesOf(name: keyof typeof files): Record<string, Composed> {
  const values: Readonly<Record<string, string>> = files[name];
  const text = read(name).replace(
    /\$\{(\w+)(?::[-?][^}]*)?\}/g,
    (whole, variable: string) => values[variable] ?? whole,
  );
  return parse(text, { merge: true }).services;
}

describe.each(['compose.yaml', 'compose.cluster.yaml'] as const)('%s', (name) => {
  const services = servicesOf(name);
  const ours = Object.entries(services).filter(([service]) => service.startsWith('moorage'));

  test('gives the service settings that it accepts, and no rights', () => {
    expect(ours.length).toBe(name === 'compose.yaml' ? 1 : 2);
    for (const [, { environment, read_only, cap_drop }] of ours) {
      expect(unknown(Object.keys(environment))).toEqual([]);
      const settings = settingsOf({ ...imageEnvironment(), ...environment });
      expect(settings.publicUrl).toBe('https://hub.example');
      expect(settings.trustProxy).toHaveLength(1);
      expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
    }
  });

  test('gives the service a place for its data', () => {
    const { data } = settingsOf(imageEnvironment());
    for (const [, { volumes = [], tmpfs }] of ours) {
      const places = [...volumes.map((volume) => volume.split(':')[1]), ...tmpfs.map((mount) => mount.split(':')[0])];
      expect(places).toContain(data);
    }
  });

  test('devices reach the port that they are told of, past or through the proxy', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(expect.arrayContaining(['8443:8443']));
  });
});

test('the proxies pass to the ports of the services that the compose files have', () => {
  const { port, devicePort, opsPort } = settingsOf(imageEnvironment());
  expect(read('Caddyfile')).toContain(`reverse_proxy moorage:${port}`);
  const named = Object.keys(servicesOf('compose.cluster.yaml')).filter((name) => name.startsWith('moorage'));
  const servers = [...read('haproxy.cfg').matchAll(/^ {2}server \w+ (\S+)$/gm)].map(([, place]) => place);
  expect(servers).toEqual([port, port, devicePort].flatMap((each) => named.map((name) => `${name}:${each}`)));
  expect(read('haproxy.cfg').match(/check port \d+/g)).toEqual(Array(3).fill(`check port ${opsPort?.port}`));
});

test('the proxy and the chart take away no node for what all of them lack', () => {
  const guide = readFileSync(join(root, 'docs', 'guide', 'scale.md'), 'utf8');
  for (const text of [read('haproxy.cfg'), guide]) {
    const checks = [...text.matchAll(/^(?:backend|listen) (\w+)$[\s\S]*?option httpchk GET (\S+)$/gm)];
    expect(checks.map(([, name, path]) => `${name} ${path}`)).toEqual([
      'ready /readyz',
      'alive /healthz',
      'devices /healthz',
    ]);
    expect(text).toContain('use_backend ready if { nbsrv(ready) gt 0 }\n  default_backend alive\n');
  }
  expect(read('helm', 'moorage', 'templates', 'deployment.yaml')).not.toContain('path: /readyz');
});

describe('the chart', () => {
  const chart = join('helm', 'moorage');
  const templates = readdirSync(join(root, 'deploy', chart, 'templates'))
    .map((name) => read(chart, 'templates', name))
    .join('\n');

  test('is of the version of the program', () => {
    expect(parse(read(chart, 'Chart.yaml'))).toMatchObject({ version: manifest.version, appVersion: manifest.version });
  });

  test('uses values that there are, and sets what the program knows', () => {
    const values = parse(read(chart, 'values.yaml'));
    const used = new Set([...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, name = '']) => name));
    expect(used.size).toBeGreaterThan(15);
    for (const name of used)
      expect([name, name.split('.').reduce((value, key) => value?.[key], values)]).not.toContain(undefined);
    expect(unknown([...templates.matchAll(/^ {2}(MOORAGE_\w+):/gm)].map(([, name = '']) => name))).toEqual([]);
  });

  test('opens the ports of the image', () => {
    const opened = [...templates.matchAll(/containerPort: (\d+)/g)].map(([, port]) => port);
    expect(opened).toEqual(stepOf('EXPOSE').split(' '));
  });
});
