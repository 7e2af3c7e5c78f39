import { extensionNames } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { variableOf } from './options.ts';
import { resolveSettings, type Settings, settingsTable, whyNotTogether } from './settings.ts';

const defaults = unwrap(resolveSettings({}));

describe('settings', () => {
  it('without any source are the defaults', () => {
    expect(resolveSettings({})).toEqual({
      ok: true,
      value: {
        data: './data',
        host: '127.0.0.1',
        port: 8080,
        devicePort: 8443,
        opsPort: undefined,
        tlsCert: undefined,
        tlsKey: undefined,
        trustProxy: [],
        publicUrl: undefined,
        deviceNames: [],
        deviceUrl: undefined,
        deviceCert: undefined,
        deviceKey: undefined,
        database: 'sqlite:data/moorage.db',
        bus: undefined,
        busCredentials: undefined,
        busCa: undefined,
        blobs: 'file:data/blobs',
        s3Endpoint: undefined,
        s3Region: 'us-east-1',
        s3AccessKey: undefined,
        s3SecretKey: undefined,
        deviceInsecure: false,
        deviceHandshakesPerSecond: 500,
        deviceCertificateDays: 10_950,
        updateTimeoutHours: 24,
        requestsPerMinute: 60_000,
        logDays: 90,
        logDaysFrequent: 14,
        deviceConnectsPerMinute: 60,
        deviceIdentityPerMinute: 60,
        deviceUpdatesPerMinute: 300,
        deviceFilesPerMinute: 300,
        deviceAttributesPerMinute: 120,
        deviceSamplesPerMinute: 1_200,
        deviceMessagesPerMinute: 600,
        quotaDevices: 100_000,
        quotaProducts: 1_000,
        quotaBundles: 100_000,
        quotaConnectors: 1_000,
        quotaMebibytes: 102_400,
        auditDays: 730,
        connectorAllow: [],
        smtpUrl: undefined,
        mailFrom: 'Moorage <moorage@localhost>',
        oidcIssuer: undefined,
        oidcClientId: undefined,
        oidcClientSecret: undefined,
        oidcName: 'single sign-on',
        oidcGroups: undefined,
        oidcAccounts: 'invited',
        mapTiles: undefined,
        mapAttribution: undefined,
        extensions: 'all',
        logLevel: 'warn',
        accessLog: false,
        secondFactor: 'optional',
        adminEmail: 'admin@localhost',
        adminPassword: undefined,
      },
    });
  });

  it('are taken from flags, then variables, then the file', () => {
    const sources = {
      flags: { port: '1' },
      env: { MOORAGE_PORT: '2', MOORAGE_DEVICE_PORT: '3', PATH: '/bin' },
      file: { port: 4, 'device-port': 5, host: '0.0.0.0' },
    };
    expect(resolveSettings(sources)).toMatchObject({ ok: true, value: { port: 1, devicePort: 3, host: '0.0.0.0' } });
  });

  it('take their folders from the data folder', () => {
    expect(resolveSettings({ flags: { data: '/srv' } })).toMatchObject({
      ok: true,
      value: { database: 'sqlite:/srv/moorage.db', blobs: 'file:/srv/blobs' },
    });
  });

  it('may be several networks', () => {
    const flags = { 'connector-allow': '10.0.0.0/8, fd00::/8' };
    expect(resolveSettings({ flags })).toMatchObject({
      ok: true,
      value: { connectorAllow: ['10.0.0.0/8', 'fd00::/8'] },
    });
  });

  it('may be names and addresses with ports', () => {
    const text = 'Hub.Example, 192.0.2.7:443, 2001:db8::7, [2001:DB8::7]:8443, fe80::1%eth0, münchen.example';
    const port = undefined;
    expect(resolveSettings({ flags: { 'device-names': text } })).toMatchObject({
      ok: true,
      value: {
        deviceNames: [
          { host: 'hub.example', port },
          { host: '192.0.2.7', port: 443 },
          { host: '2001:db8::7', port },
          { host: '2001:db8::7', port: 8443 },
          { host: 'fe80::1', port },
          { host: 'xn--mnchen-3ya.example', port },
        ],
      },
    });
  });

  it.each([
    'https://hub.example',
    'hub.example:0',
    'hub.example:65536',
    'hub_.-',
    '*.example',
    '10.0.0',
    'a b',
    '[::1',
  ])('of names are refused: %s', (text) => {
    const error = `Setting --device-names must be names or addresses such as hub.example or 192.0.2.7:443, not "${text}"`;
    expect(resolveSettings({ flags: { 'device-names': text } })).toEqual({ ok: false, error });
  });

  it.each([
    ['https://Hub.Example/', 'https://hub.example'],
    ['http://192.0.2.7:8080', 'http://192.0.2.7:8080'],
    ['https://hub.example:443', 'https://hub.example'],
  ])('may be the address %s, which is %s', (text, publicUrl) => {
    expect(resolveSettings({ flags: { 'public-url': text } })).toMatchObject({ ok: true, value: { publicUrl } });
  });

  it.each([
    ['9090', { host: undefined, port: 9090 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['[::1]:9090', { host: '::1', port: 9090 }],
  ])('may be the port %s', (text, opsPort) => {
    expect(resolveSettings({ flags: { 'ops-port': text } })).toMatchObject({ ok: true, value: { opsPort } });
  });

  it.each(['', 'x', '65536', '::1:1', '127.0.0.1'])('refuse the port "%s"', (text) => {
    expect(resolveSettings({ flags: { 'ops-port': text } }).ok).toBe(false);
  });

  it.each(['hub.example', 'https://hub.example/iot', 'https://u:p@hub.example', 'ftp://hub.example'])(
    'refuse the address %s',
    (text) => expect(resolveSettings({ flags: { 'public-url': text } }).ok).toBe(false),
  );

  it.each([
    [{ flags: { port: '65536' } }, 'Setting --port must be a port from 0 to 65535, not "65536"'],
    [{ env: { MOORAGE_PORT: 'x' } }, 'Setting MOORAGE_PORT must be a port from 0 to 65535, not "x"'],
    [{ file: { port: -1 } }, 'Setting port of the config file must be a port from 0 to 65535, not "-1"'],
    [{ flags: { host: '' } }, 'Setting --host must not be empty'],
    [{ flags: { bus: 'amqp://u:p@h' } }, 'Setting --bus must be nats://HOST[:PORT][,…][/PREFIX], not "amqp://u:***@h"'],
    [
      { flags: { bus: 'nats://u:p%x@h' } },
      'Setting --bus is wrong: user and password have characters such as % @ : / # as %25 %40 %3A %2F %23',
    ],
    [
      { flags: { bus: 'nats://u:p@wrong:1:2' } },
      'Setting --bus must be nats://HOST[:PORT][,…][/PREFIX], not "nats://***@wrong:1:2"',
    ],
    [
      { flags: { 's3-endpoint': 'http://[::bad' } },
      'Setting --s3-endpoint must be an http or https address, not "http://[::bad"',
    ],
    [
      { flags: { database: 'postgres://m:s@[::bad/x' } },
      'Setting --database must be postgres://USER:PASSWORD@HOST[:PORT][,…]/NAME, not "postgres://m:***@[::bad/x"; user and password have characters such as % @ : / # as %25 %40 %3A %2F %23',
    ],
    [
      { flags: { database: 'mysql://u:p@h/d' } },
      'Setting --database must be sqlite:PATH or postgres://…, not "mysql://u:***@h/d"',
    ],
    [{ flags: { blobs: 's3://x' } }, 'Setting --blobs must be file:DIR or s3://BUCKET[/PREFIX], not "s3://x"'],
    [{ flags: { 'device-insecure': 'maybe' } }, 'Option --device-insecure is "maybe", not a truth value'],
    [
      { flags: { 'smtp-url': 'http://anna:pass@mail.test' } },
      'Setting --smtp-url must be smtp://[USER:PASSWORD@]HOST[:PORT] or smtps://…, not "http://anna:***@mail.test"',
    ],
    [
      { flags: { 'map-tiles': 'https://tiles.test/{z}/{x}.png' } },
      'Setting --map-tiles must be an http or https address with {z}, {x} and {y}, not "https://tiles.test/{z}/{x}.png"',
    ],
    [
      { flags: { 'connector-allow': '10.0.0.0/8, 10.0.0.1' } },
      'Setting --connector-allow must be networks such as 10.0.0.0/8, not "10.0.0.1"',
    ],
    [{ env: { MOORAGE_ADMIN_EMAIL: 'x' } }, 'Setting MOORAGE_ADMIN_EMAIL must be an email address, not "x"'],
    [{ env: { MOORAGE_ADMIN_PASSWORD: 'short' } }, 'Setting MOORAGE_ADMIN_PASSWORD must have at least 12 characters'],
    [
      { flags: { 'log-level': 'loud' } },
      'Setting --log-level must be one of silent, fatal, error, warn, info, debug, trace, not "loud"',
    ],
    [
      { env: { MOORAGE_S3_ENDPOINT: 'host' } },
      'Setting MOORAGE_S3_ENDPOINT must be an http or https address, not "host"',
    ],
  ])('%j are refused', (sources, error) => {
    expect(resolveSettings(sources)).toEqual({ ok: false, error });
  });

  it.each(Object.entries(settingsTable))('%s refuses what it cannot be, and has a help', (name, { help }) => {
    // A list may be empty, other values may not.
    const refusals = ['', '/ /'].map((value) => resolveSettings({ env: { [variableOf(name)]: value } }));
    expect(refusals).toContainEqual({ ok: false, error: expect.stringContaining(variableOf(name)) });
    expect(help).not.toBe('');
  });

  it.each([
    ['all', 'all'],
    ['none', []],
    ['fleet, accounts,fleet', ['accounts', 'fleet']],
  ])('may be the extensions %s', (text, extensions) => {
    expect(resolveSettings({ flags: { extensions: text } })).toMatchObject({ ok: true, value: { extensions } });
  });

  it.each([
    ['fleets', 'fleets'],
    ['fleet,all', 'all'],
    [' , ', ' , '],
  ])('refuse the extensions %s', (text, wrong) => {
    const error = `Setting --extensions must be all, none, or some of ${extensionNames.join(', ')}, not "${wrong}"`;
    expect(resolveSettings({ flags: { extensions: text } })).toEqual({ ok: false, error });
  });

  const sso = { oidcIssuer: 'https://id.example', oidcClientId: 'moorage', publicUrl: 'https://hub.example' };
  const lone = 'Settings of single sign-on are of use only with --oidc-issuer';

  it.each<[Partial<Settings>, string | undefined]>([
    [{}, undefined],
    [{ port: 0, devicePort: 0 }, undefined],
    [{ port: 1, devicePort: 1 }, '--port and --device-port are both 1; they are two listeners'],
    [{ bus: 'nats://h' }, '--bus connects nodes, and several can share a PostgreSQL database only (--database)'],
    [{ bus: 'nats://h', database: 'postgres://h/d' }, undefined],
    [sso, undefined],
    [{ ...sso, oidcIssuer: undefined }, lone],
    [{ oidcClientSecret: 'hush' }, lone],
    [{ oidcGroups: 'groups.json' }, lone],
    [{ ...sso, oidcClientId: undefined }, '--oidc-issuer needs --oidc-client-id'],
    [{ ...sso, publicUrl: undefined }, '--oidc-issuer needs --public-url: the provider sends people back there'],
    [{ deviceCert: 'x' }, 'Settings --device-cert and --device-key are only of use together'],
    [{ deviceKey: 'x' }, 'Settings --device-cert and --device-key are only of use together'],
    [{ tlsKey: 'x' }, 'Settings --tls-cert and --tls-key are only of use together'],
    [{ tlsCert: 'x', tlsKey: 'x' }, undefined],
  ])('that are %j together: %s', (given, problem) => {
    expect(whyNotTogether({ ...defaults, ...given })).toBe(problem);
  });
});
