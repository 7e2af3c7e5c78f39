import { type Duplex, duplexPair } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachSession } from '../bus/attach-session.ts';
import { FlashFiles } from '../cloud/flash-files.ts';
import { type Origin, seesSecrets } from '../interpreter/origin.ts';
import { type WebRig, webRig } from '../testing/web-rig.ts';
import { allVariables } from '../variables/index.ts';

const secrets = allVariables.filter(({ secret }) => secret);

/** Different for each: a leak names its variable. */
const hushOf = (name: string): string => `hush-${name.replaceAll('.', '-')}`.slice(0, 32);

/** The lines by which a variable can be read. */
const waysTo = (name: string, shortcut: string): Readonly<Record<string, string>> => ({
  'get NAME': `get ${name}`,
  'get SHORTCUT': `get ${shortcut}`,
  ...Object.fromEntries(
    Array.from(name.matchAll(/\./g), ({ index }) => [`get ${name.slice(0, index)}`, `get ${name.slice(0, index)}`]),
  ),
  'get all': 'get all',
});

const authorization = `Basic ${Buffer.from(`ada:${hushOf('http.server.password')}`).toString('base64')}`;

async function secretRig() {
  const rig = await webRig({
    variables: {
      'http.server.username': 'ada',
      'remote_terminal.enabled': 1,
      ...Object.fromEntries(secrets.map(({ name }) => [name, hushOf(name)])),
    },
    files: { 'http_whitelist.csv': '/log,get *,file_open *,read *,save *' },
  });
  const { clock, module } = rig;
  /** What comes back for a line that is typed at a session, until all is quiet. */
  const typeAt = (stream: Duplex): ((line: string) => Promise<string>) => {
    let logged = '';
    stream.on('data', (chunk: Buffer) => {
      logged += chunk.toString('latin1');
    });
    return async (line) => {
      await clock.advance(100);
      logged = '';
      stream.write(`${line}\r\n`);
      for (let turn = 0; turn < 20; turn++) await clock.advance(1);
      return logged;
    };
  };
  const [board, host] = duplexPair();
  attachSession(module, 'serial', board);
  const terminal = async (origin: 'terminal' | 'terminal-login') => {
    const [own, user] = duplexPair();
    module.attachTerminal(own, origin);
    return typeAt(user);
  };
  const http = async (line: string, headers = {}): Promise<string> =>
    (await rig.call('GET', `/command/${encodeURIComponent(line)}`, { headers })).text;
  const execute = async (line: string, origin: Origin): Promise<string> =>
    (await module.execute(line, undefined, { origin })).text;
  const readers: Readonly<Record<Origin, (line: string) => Promise<string>>> = {
    serial: typeAt(host),
    terminal: await terminal('terminal'),
    'terminal-login': await terminal('terminal-login'),
    http,
    'http-login': (line) => http(line, { authorization }),
    remote: (line) => execute(line, 'remote'),
    script: (line) => execute(line, 'script'),
  };
  return { ...rig, readers };
}

test('a variable whose name says so is a password or key', () => {
  const named = allVariables.filter(({ name }) => /(password|passkey|token|secret)$/.test(name) && !/hide/.test(name));
  expect(named.map(({ name }) => name)).toEqual(secrets.map(({ name }) => name));
  expect(secrets.length).toBeGreaterThan(6);
});

describe('a password or key', () => {
  let rig: WebRig & Awaited<ReturnType<typeof secretRig>>;
  beforeAll(async () => {
    rig = await secretRig();
  });
  afterAll(() => rig.close());

  const origins = Object.keys(seesSecrets) as Origin[];
  const cases = secrets.flatMap(({ name, shortcut }) =>
    Object.entries(waysTo(name, shortcut)).flatMap(([way, line]) =>
      origins.map((origin) => [name, way, origin, line] as const),
    ),
  );

  // MOD-SET-hidden, MOD-AUTH-6
  test.each(cases)('%s by %s from %s', async (name, way, origin, line) => {
    const text = await rig.readers[origin](line);
    expect(text.includes(hushOf(name))).toBe(seesSecrets[origin]);
    // The rest of a list is there all the same.
    if (!way.startsWith('get NAME') && !way.startsWith('get SHORTCUT')) expect(text).toContain(`${name}: `);
  });

  test.each(origins)('in a file of settings cannot be read from %s', async (origin) => {
    const read = rig.readers[origin];
    await rig.readers.serial('save settings.cfg');
    for (const line of ['file_open settings.cfg', 'read 0 9999']) {
      const text = await read(line);
      expect(text).toContain('Command failed');
      expect(text).not.toContain('hush-');
    }
    rig.logged();
    expect(await read('http_upload nowhere.test settings.cfg a')).not.toContain('Success');
    // Over HTTP without login the call itself is refused.
    if (origin !== 'http') expect(rig.logged()).toContain('File protected');
    expect(new FlashFiles(rig.module.flash).stat('settings.cfg')?.isSecret).toBe(true);
    for (const headers of [{}, { authorization }])
      expect((await rig.call('GET', '/settings.cfg', { headers })).text).not.toContain('hush-');
    expect(rig.module.log.entries().join()).not.toContain('hush-');
  });

  test('in a file of settings comes back with load', async () => {
    await rig.readers.serial('save settings.cfg');
    await rig.run('set wlan.passkey "something else"');
    await rig.run('load settings.cfg');
    expect(rig.module.variables.get('wlan.passkey')).toBe(hushOf('wlan.passkey'));
  });

  test('does not get into the log by a script', async () => {
    await rig.put('look.script', secrets.map(({ name }) => `get ${name}`).join('\n'));
    expect(await rig.run('setup look.script')).toBe('0 Success');
    await rig.module.runAlone('get wlan');
    const log = await rig.call('GET', '/log');
    expect(log.text).toContain('wlan.tx_power: ');
    expect(log.text).not.toContain('hush-');
  });

  test.each(['serial', 'terminal', 'terminal-login'] as const)('is not completed on %s', async (origin) => {
    await rig.run('set system.cmd.mode human');
    for (const { name } of secrets) expect(await rig.readers[origin](`set ${name} hush\t\t`)).not.toContain('hush-');
    await rig.run('set system.cmd.mode machine');
  });
});
