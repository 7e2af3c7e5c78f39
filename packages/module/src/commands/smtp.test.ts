import type { AddressInfo } from 'node:net';
import { unwrap, VirtualClock } from '@moorage/base';
import { storePem } from '@moorage/device/identity';
import type { Net } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import { nodeNet } from '@moorage/net/node';
import { testCertificates } from '@moorage/net/testing/certificates';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { describe, expect, test } from 'vitest';
import { FlashFiles } from '../cloud/flash-files.ts';
import { joinedModule } from '../testing/http-rig.ts';

const { ca, issue } = await testCertificates();
const tls = await issue('mail.test', false);

interface Taken {
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  readonly hello: string;
}

interface MailRigOptions {
  /** TLS at once. */
  readonly implicit?: boolean;
  readonly server?: SMTPServerOptions;
}

/** A module and a mail server that is not ours, over the given ground. */
async function mailRig({ implicit = false, server: extra = {} }: MailRigOptions = {}) {
  const taken: Taken[] = [];
  const server = new SMTPServer({
    ...tls,
    secure: implicit,
    authOptional: true,
    closeTimeout: 1,
    // It would ask the host's name server.
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'anna' && password === 'secret pass'
        ? done(null, { user: username })
        : done(Object.assign(new Error('Invalid login'), { responseCode: 535 })),
    onData: async (stream, session, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      const { mailFrom, rcptTo } = session.envelope;
      taken.push({
        secure: session.secure,
        user: session.user,
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        text: Buffer.concat(chunks).toString(),
        hello: session.hostNameAppearsAs,
      });
      done();
    },
    ...extra,
  });
  server.on('error', () => {});
  const clock = new VirtualClock();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: bound } = server.server.address() as AddressInfo;
  const host = '127.0.0.1';
  const port = implicit ? 465 : bound;
  const real = nodeNet({ ip: host, portOffset: 0, listenLan: false });
  // No test listens below 1024: the one port number that means something leads to where the server is.
  const net: Net = { ...real, dial: (dialling) => real.dial({ ...dialling, ...(implicit && { port: bound }) }) };
  // The server waits a moment of the host's time before it greets, whatever it is connected by.
  const parts = await joinedModule(net, clock, 'sockets');
  const { run, module } = parts;
  await parts.join();
  await run(`fcr ca.pem ${Buffer.byteLength(ca)}`, ca);
  await run(`set email.smtp.host ${host}`);
  await run(`set email.smtp.port ${port}`);
  await run('set email.name_address "The Module <module@home.test>"');
  const opening = `[Opening: ${host}:${port}]|Connecting (SMTP): ${host}:${port}`;
  const close = async (): Promise<void> => {
    await module.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { ...parts, clock, taken, server, host, port, opening, close };
}

describe('with a mail server that is not ours', () => {
  test('smtp_send sends a mail over STARTTLS with a login, MOD-CMD-smtp_send, MOD-RULE-smtp', async () => {
    const rig = await mailRig();
    // Spec: MOD-VAR-email.smtp.username, MOD-VAR-email.smtp.password, MOD-VAR-email.smtp.host, MOD-VAR-email.smtp.port.
    await rig.run('set email.smtp.username anna');
    await rig.run('set smtp.password secret pass');
    const body = 'Hello,\r\n.\r\n..dots and caf\u00e9\r\n';
    const line = `smtp_send "bob@home.test,eve@home.test" "Level is h\u00f6her" ${Buffer.byteLength(body)}`;
    expect(await rig.run(line, body)).toBe(`${rig.opening}|Starting TLS|Mail sent|0 Success`);
    const [mail] = rig.taken;
    // Spec: MOD-VAR-email.name_address.
    expect(mail).toMatchObject({
      secure: true,
      user: 'anna',
      from: 'module@home.test',
      to: ['bob@home.test', 'eve@home.test'],
    });
    expect(mail?.text).toContain('From: The Module <module@home.test>\r\n');
    expect(mail?.text).toContain('To: bob@home.test, eve@home.test\r\n');
    expect(mail?.text).toMatch(/^Subject: =\?UTF-8\?Q\?Level_is_h=C3=B6her\?=\r$/m);
    expect(mail?.text).toMatch(/^Message-ID: <[0-9a-f]{24}@home\.test>\r$/m);
    expect(mail?.text).toMatch(/\r\n\r\nHello,\r\n\.\r\n\.\.dots and caf=C3=A9\r\n$/);
    // The clock has not been set.
    expect(mail?.text).not.toMatch(/^Date:/m);
    await rig.close();
  });

  test('a login that is refused fails with the answer of the server', async () => {
    const rig = await mailRig();
    await rig.run('set email.smtp.username anna');
    await rig.run('set email.smtp.password wrong');
    expect(await rig.run('smtp bob@home.test hi 2', 'hi')).toBe(
      `${rig.opening}|Starting TLS|Mail refused: 535 Invalid login|1 Command failed`,
    );
    expect(rig.taken).toEqual([]);
    await rig.close();
  });

  test('-h sends HTML, with a file beside it and the date when the clock is set', async () => {
    const rig = await mailRig();
    rig.module.rtc.set(Date.UTC(2024, 1, 29, 12, 30, 15));
    const content = Buffer.from(Array.from({ length: 50_000 }, (_, index) => (index * 7) & 0xff));
    await rig.run(`fcr data.bin ${content.length}`, content);
    expect(await rig.run('smtp -h bob@home.test report 12 data.bin', '<b>Hello</b>')).toMatch(/Mail sent\|0 Success$/);
    const text = rig.taken[0]?.text ?? '';
    expect(text).toMatch(/^Date: Thu, 29 Feb 2024 12:30:1\d \+0000\r$/m);
    expect(text).toMatch(/Content-Type: text\/html; charset=utf-8\r\n[\s\S]*\r\n\r\n<b>Hello<\/b>\r\n/);
    expect(text).toContain('Content-Disposition: attachment; filename=data.bin\r\n');
    const encoded = /filename=data\.bin\r\n(?:[^\r]+\r\n)*\r\n([A-Za-z0-9+/=\r\n]+?)\r\n--/.exec(text)?.[1] ?? '';
    expect(Buffer.from(encoded, 'base64').equals(content)).toBe(true);
    await rig.close();
  });

  test('the private key of the module goes with no mail', async () => {
    const rig = await mailRig();
    await storePem(new FlashFiles(rig.module.flash), 'device.key', 'secret');
    expect(await rig.run('smtp bob@home.test hi 2 device.key', 'hi')).toBe('File protected|1 Command failed');
    expect(rig.taken).toEqual([]);
    await rig.close();
  });

  test('a server without STARTTLS and login takes a plain mail', async () => {
    const rig = await mailRig({ server: { disabledCommands: ['STARTTLS', 'AUTH'] } });
    expect(await rig.run('smtp bob@home.test hi 2', 'hi')).toBe(`${rig.opening}|Mail sent|0 Success`);
    expect(rig.taken[0]).toMatchObject({ secure: false, user: undefined });
    await rig.close();
  });

  test('a certificate of another authority fails the mail', async () => {
    const rig = await mailRig();
    await rig.run('set network.ca_cert ""');
    expect(await rig.run('smtp bob@home.test hi 2', 'hi')).toMatch(
      /Error with TLS handshake: 5035\|\[Open failed\]\|1 Command failed$/,
    );
    expect(rig.taken).toEqual([]);
    await rig.close();
  });

  test('an authority that only has the name of the trusted one is refused as any other', async () => {
    const stranger = await (await testCertificates()).issue('mail.test', false);
    const rig = await mailRig({ server: stranger });
    expect(await rig.run('smtp bob@home.test hi 2', 'hi')).toMatch(
      /Error with TLS handshake: 5035\|\[Open failed\]\|1 Command failed$/,
    );
    await rig.close();
  });

  test('a recipient that the server refuses fails the mail', async () => {
    const onRcptTo: SMTPServerOptions['onRcptTo'] = (_address, _session, done) =>
      done(Object.assign(new Error('No such user'), { responseCode: 550 }));
    const rig = await mailRig({ server: { onRcptTo } });
    expect(await rig.run('smtp bob@home.test hi 2', 'hi')).toMatch(/Mail refused: 550 No such user\|1 Command failed$/);
    await rig.close();
  });
});

test('on port 465 TLS begins at once', async () => {
  const rig = await mailRig({ implicit: true });
  await rig.run('set email.smtp.username anna');
  await rig.run('set email.smtp.password secret pass');
  expect(await rig.run('smtp bob@home.test hi 2', 'hi')).toBe(`${rig.opening}|Starting TLS|Mail sent|0 Success`);
  expect(rig.taken[0]).toMatchObject({ user: 'anna' });
  await rig.run('set network.ca_cert ""');
  expect(await rig.run('smtp bob@home.test hi 2', 'hi')).toMatch(
    /Starting TLS\|Error with TLS handshake: 5035\|\[Open failed\]\|1 Command failed$/,
  );
  await rig.close();
});

test('a server that never greets is given up after two minutes', async () => {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  unwrap(await network.attach('silent.test', '10.5.6.9').listen(587, () => {}));
  const { module, run } = await joinedModule(network.attach('module', '10.5.6.108'), clock, 'memory');
  await run('set email.smtp.host silent.test');
  await run('set email.name_address a@b.test');
  const before = clock.monotonic();
  expect(await run('smtp bob@home.test hi 2', 'hi')).toMatch(/Mail not sent: No end in 120000 ms\|1 Command failed$/);
  expect(clock.monotonic() - before).toBeGreaterThanOrEqual(120_000);
  await module.close();
});

/** A module on a network without a mail server. */
async function lonelyRig() {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  network.attach('mail.test', '10.5.6.9');
  const parts = await joinedModule(network.attach('module', '10.5.6.108'), clock, 'memory');
  await parts.run('set email.smtp.host mail.test');
  await parts.run('set email.name_address module@home.test');
  return parts;
}

test.each([
  ['a dial that is refused', 'set email.smtp.port 25', /\[Open failed\]\|1 Command failed$/],
  ['no server', 'set email.smtp.host ""', /^email\.smtp\.host not set\|1 Command failed$/],
  ['no sender', 'set email.name_address ""', /^email\.name_address not set\|1 Command failed$/],
  ['a sender without an address', 'set email.name_address Anna', /^email\.name_address not set\|1 Command failed$/],
  ['no network', 'set wlan.ssid ""', /^SSID not set\|1 Command failed$/],
])('%s fails, and the text is not read as commands', async (_, line, expected) => {
  const rig = await lonelyRig();
  await rig.run(line);
  expect(await rig.run('smtp bob@home.test hi 2', 'hi')).toMatch(expected);
});

test.each([
  ['smtp', '4 Too few arguments'],
  ['smtp bob@home.test hi', '4 Too few arguments'],
  ['smtp bob@home.test hi 2 a b', '5 Too many arguments'],
  ['smtp -x bob@home.test hi 2', '6 Unknown variable'],
  ['smtp bob@home.test hi x', '7 Invalid argument'],
  ['smtp bob@home.test hi 65537', '7 Invalid argument'],
  ['smtp bob hi 2', '7 Invalid argument'],
  ['smtp "bob@home.test,,eve@home.test" hi 2', '7 Invalid argument'],
  ['smtp "bob@home.test>" hi 2', '7 Invalid argument'],
  ['smtp bob@home.test hi 2 absent', 'File not found|1 Command failed'],
])('%s is refused', async (line, expected) => {
  expect(await (await lonelyRig()).run(line, 'hi')).toBe(expected);
});
