import { unwrap } from '@moorage/base';
import { expect, test } from 'vitest';
import { throwingClient } from '../client/service-client.ts';
import { UserError } from '../command-line/define.ts';
import { type OptionTable, resolveOptions } from '../command-line/options.ts';
import { openReporter } from '../command-line/output.ts';
import { gatewayFindCommand } from './gateway-find.ts';
import { adoptOptions, gatewayRunCommand, readAdoptions, startGateway } from './gateway-run.ts';
import { commands } from './index.ts';
import { rescueCommand } from './rescue.ts';

const upCommand = commands.find(({ name }) => name === 'up') ?? rescueCommand;
const noCertificate = new URL(import.meta.url).pathname;
const forms =
  'http://HOST:PORT, https://HOST:PORT, tcp:HOST:PORT (terminal or serial), rfc2217:HOST:PORT, pty:PATH, /dev/…';
const secret = 'Argument ADDRESS has an "@" in it: names and passwords do not belong into an address';
const read = { output: '/nowhere/archive' };
const adopt = { service: 'https://127.0.0.1:1', adopt: '/dev/null', product: 'GAUGE' };

const wrong: readonly (readonly [command: typeof rescueCommand, args: string[], flags: object, message: string])[] = [
  [gatewayRunCommand, [], { ca: '/nowhere/file' }, 'Setting --ca: file "/nowhere/file" cannot be read (ENOENT)'],
  [gatewayRunCommand, [], { ca: noCertificate }, `Setting --ca: file "${noCertificate}" has no certificate in PEM`],
  [gatewayRunCommand, [], { ...adopt, adopt: 'foo' }, `Option --adopt is "foo", not one of ${forms}`],
  [gatewayRunCommand, [], { ...adopt, baud: '0' }, 'Option --baud is 0, not a number of 1 to 12000000'],
  [
    gatewayRunCommand,
    [],
    { adopt: '/dev/null' },
    'Option --product or --make-product is missing: the product that the modules become devices of',
  ],
  [
    gatewayRunCommand,
    [],
    { ...adopt, streams: '/nowhere/file' },
    'The file of streams "/nowhere/file" cannot be read: ENOENT',
  ],
  [gatewayRunCommand, [], { service: 'foo' }, 'Option --service is "foo", not https://HOST:PORT'],
  [gatewayRunCommand, [], { service: 'ftp://u:p@h' }, 'Option --service has an "@" in it, not https://HOST:PORT'],
  [gatewayRunCommand, [], { api: 'foo' }, 'Option --api is "foo", not an address such as http://127.0.0.1:8080'],
  [upCommand, [], { gateway: true, ca: '/nowhere/file' }, 'Setting --ca: file "/nowhere/file" cannot be read (ENOENT)'],
  [upCommand, [], { adopt: '/dev/null', product: 'GAUGE' }, 'Option --adopt has no use without --gateway'],
  [gatewayFindCommand, ['foo'], {}, `Argument ADDRESS is "foo", not one of ${forms}`],
  [rescueCommand, ['tcp:h'], read, `Argument ADDRESS is "tcp:h", not one of ${forms}`],
  [rescueCommand, ['tcp:h:99999'], read, `Argument ADDRESS is "tcp:h:99999", not one of ${forms}`],
  [rescueCommand, ['http://u:p@host'], read, secret],
  [
    rescueCommand,
    ['/dev/null'],
    { ...read, baud: '99999999999' },
    'Option --baud is 99999999999, not a number of 1 to 12000000',
  ],
  [
    rescueCommand,
    ['/dev/null'],
    { ...read, yes: true },
    'Option --yes has no use with --output: reading writes nothing',
  ],
  [
    rescueCommand,
    ['/dev/null'],
    { restore: 'a', 'with-secrets': true },
    'Option --with-secrets has no use with --restore: the archive has them or not',
  ],
];

test.each(wrong.map((row) => [row[0].name, row[3], row] as const))(
  '%s, before it starts anything: %s',
  async (_, message, [command, args, given]) => {
    const flags = {
      ...(command === gatewayFindCommand ? {} : { data: '/nowhere/data' }),
      logins: '/nowhere/logins',
      ...given,
    };
    const sources = { flags, env: {}, file: {} };
    const options = unwrap(resolveOptions(command.options as OptionTable, sources));
    const started = command.run({ options, sources, args, reporter: openReporter(true), json: true });
    await expect(started).rejects.toThrow(message);
    await expect(started).rejects.toBeInstanceOf(UserError);
    await expect(started).rejects.toHaveProperty('exitCode', 2);
  },
);

test('a product that the service does not have is told by its option, before the folder is made', async () => {
  const { service, ...flags } = adopt;
  const adoptions = await readAdoptions(unwrap(resolveOptions(adoptOptions, { flags, env: {}, file: {} })));
  const login = async () => throwingClient('http://service', 'token', [], async () => Response.json([]));
  const settings = { folder: '/dev/null/gateway', ip: '127.0.0.1', service };
  const started = startGateway(settings, adoptions, openReporter(true), login);
  await expect(started).rejects.toMatchObject({
    message: 'Option --product is "GAUGE": there is no such product',
    exitCode: 2,
  });
});
