import { expect, test } from 'vitest';
import { environmentText, sysusersText, type Unit, unitText } from './unit.ts';

const unit: Unit = {
  scope: 'system',
  node: '/usr/bin/node',
  program: '/usr/lib/node_modules/moorage/bin/moorage.mjs',
  dataDir: '/var/lib/moorage',
  environmentFile: '/etc/moorage/moorage.env',
  lowPort: false,
};
const linesOf = (changes: Partial<Unit>) => unitText({ ...unit, ...changes }).split('\n');

test('a unit starts the program with its environment file in its data folder', () => {
  expect(linesOf({})).toEqual(
    expect.arrayContaining([
      'ExecStart=/usr/bin/node --max-semi-space-size=16 /usr/lib/node_modules/moorage/bin/moorage.mjs serve',
      'EnvironmentFile=/etc/moorage/moorage.env',
      'WorkingDirectory=/var/lib/moorage',
      'StateDirectory=moorage',
      'WantedBy=multi-user.target',
    ]),
  );
});

test.each([
  ['/opt/my programs/moorage', 'ExecStart=/usr/bin/node --max-semi-space-size=16 "/opt/my programs/moorage" serve'],
  ['/opt/50%/moorage', 'ExecStart=/usr/bin/node --max-semi-space-size=16 /opt/50%%/moorage serve'],
  ['/opt/$HOME/moorage', 'ExecStart=/usr/bin/node --max-semi-space-size=16 /opt/$$HOME/moorage serve'],
  ['/opt/"x"/moorage', 'ExecStart=/usr/bin/node --max-semi-space-size=16 "/opt/\\"x\\"/moorage" serve'],
])('a program at %s stands in the unit as systemd reads it', (program, line) => {
  expect(linesOf({ program })).toContain(line);
});

test('a data folder elsewhere is the one place that the service may write to', () => {
  const lines = linesOf({ dataDir: '/srv/my data' });
  expect(lines).toEqual(expect.arrayContaining(['ReadWritePaths="/srv/my data"', 'WorkingDirectory=/srv/my data']));
  expect(lines).not.toContain('StateDirectory=moorage');
});

test('homes are hidden unless the service lives in one', () => {
  expect(linesOf({})).toContain('ProtectHome=yes');
  expect(linesOf({ program: ['', 'root', 'moorage', 'bin', 'moorage'].join('/') })).toContain('ProtectHome=read-only');
});

test('only a port below 1024 brings a right, that to listen there', () => {
  expect(linesOf({})).toEqual(expect.arrayContaining(['CapabilityBoundingSet=', 'PrivateUsers=yes']));
  expect(linesOf({ lowPort: true })).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE');
  expect(linesOf({ lowPort: true })).not.toContain('PrivateUsers=yes');
});

test('the unit of a user asks for nothing that only the system may do', () => {
  const text = unitText({ ...unit, scope: 'user' });
  expect(text).not.toMatch(/^(User|Protect|Private|StateDirectory|ReadWritePaths|Capability|Wants)/m);
  expect(text).toContain('WantedBy=default.target');
});

test('values of the environment file are quoted where systemd would read more into them', () => {
  expect(environmentText({ A: 'postgres://u:p@h/n', B: 'a "b" $c `d` \\e', C: '' })).toBe(
    'A=postgres://u:p@h/n\nB="a \\"b\\" \\$c \\`d\\` \\\\e"\nC=\n',
  );
});

test('lines that were there stay, but for those of variables that come anew', () => {
  const before = '# ours\nMOORAGE_PORT=80\nMOORAGE_HOST=::1\n';
  expect(environmentText({ MOORAGE_PORT: '81' }, before)).toBe('# ours\nMOORAGE_HOST=::1\nMOORAGE_PORT=81\n');
});

test('the user of the service is at home in the data folder', () => {
  expect(sysusersText('/srv/my data')).toBe('u moorage - "Moorage service" "/srv/my data"\n');
});
