import type { AddressInfo } from 'node:net';
import { minuteMs, unwrap, VirtualClock } from '@moorage/base';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { workOff } from '../../engine/db/queue.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { openOutbound } from '../../engine/outbound/outbound.ts';
import { outcome } from '../../testing/device-world.ts';
import { fakeOutbound } from '../../testing/fake-outbound.ts';
import { buildApp, eachDatabase } from '../../testing/index.ts';
import { type ProductScene, productScene } from '../../testing/product-scene.ts';
import { judge } from './engine.ts';
import { mailQueue, queueMail, removeOldMails } from './mails.ts';
import { mailText } from './rules.ts';

/** A mail server that is not ours, and what it has taken. */
async function mailServer() {
  const taken: { readonly to: readonly string[]; readonly text: string; readonly user: string | undefined }[] = [];
  const mode = { isFull: false, isSilent: false, refused: {} as Record<string, number> };
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    closeTimeout: 1,
    hideSTARTTLS: true,
    // It would ask the host's name server.
    disableReverseLookup: true,
    onConnect: (_session, done) => void (mode.isSilent || done()),
    onAuth: ({ username, password }, _session, done) =>
      password === 'secret pass' ? done(null, { user: username ?? '' }) : done(new Error('Invalid login')),
    onRcptTo: ({ address }, _session, done) => {
      const responseCode = mode.isFull ? 452 : mode.refused[address];
      done(responseCode === undefined ? null : Object.assign(new Error('No'), { responseCode }));
    },
    onData: async (stream, { envelope, user }, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
      const to = envelope.rcptTo.map(({ address }) => address);
      taken.push({ to, text: Buffer.concat(chunks).toString(), user });
      done();
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Safe: a TCP server has a TCP address.
  const { port } = server.server.address() as AddressInfo;
  return { taken, mode, port, close: () => new Promise<void>((resolve) => server.close(resolve)) };
}

eachDatabase('alerts by mail', (open) => {
  let storage: Storage;
  let scene: ProductScene;
  let mail: Awaited<ReturnType<typeof mailServer>>;
  let product_id: string;

  beforeEach(async () => {
    storage = await open();
    mail = await mailServer();
    const smtpUrl = `smtp://anna:secret%20pass@127.0.0.1:${mail.port}`;
    const settings = { smtpUrl, mailFrom: 'Harbour <moorage@harbour.test>' };
    scene = await productScene(storage, { settings });
    product_id = (await scene.add()).id;
    for (const email of body.mail_to) {
      const row = { product_id, email, confirmed_at: 1 };
      await storage.db.insertInto('alert_addresses').values(row).execute();
    }
  });
  afterEach(() => mail.close());

  const clock = () => scene.app.clock;
  const deps = () => {
    const { deps: own } = scene.app.service;
    return { ...own, outbound: openOutbound([], clock(), own.settings) };
  };
  const body = {
    title: 'Dark',
    condition: { kind: 'offline', minutes: 10 } as const,
    mail_to: ['pia@pier.test', 'ole@pier.test'],
  };
  const addRule = async () =>
    unwrap(await scene.as('owner').call('alerts.createRule', { params: { product_id }, body })).value;
  /** Looks at a rule until a device that is silent is told of. */
  async function raise() {
    const rule = await addRule();
    const device = await scene.occupy(product_id);
    const silent = { last_seen_at: clock().now() - 20 * minuteMs, state: 'active' as const };
    await storage.db.updateTable('devices').set(silent).where('id', '=', device.id).execute();
    await judge(deps(), rule.id);
    // The clock stands still, so that the service itself sends nothing beside the test.
    await storage.db.updateTable('alerts').set({ tell_at: clock().now() }).execute();
    await judge(deps(), rule.id);
    return device;
  }
  const queued = () =>
    storage.db.selectFrom('alert_mails').select(['attempts', 'due_at', 'error', 'created_at']).execute();
  const failures = () => storage.db.selectFrom('logs').select('message').where('type', '=', 'alert.mail').execute();

  // API-RULE-alert-5
  it('the messages of a rule go to its addresses, once', async () => {
    const device = await raise();
    await workOff(mailQueue(deps()));
    await workOff(mailQueue(deps()));
    expect(mail.taken).toHaveLength(1);
    const [{ to, text, user } = { to: [], text: '', user: undefined }] = mail.taken;
    expect({ to, user }).toEqual({ to: body.mail_to, user: 'anna' });
    expect(text).toContain('From: Harbour <moorage@harbour.test>');
    expect(text).toContain('Subject: =?UTF-8?Q?Alert_=22Dark=22=3A_device');
    expect(text).toContain(`- ${device.title}`);
    expect(text).toContain('Wrong: not heard from for longer than 10 minutes');
    expect(text).toContain('Auto-Submitted: auto-generated');
    expect(await queued()).toMatchObject([{ attempts: 0, due_at: null, error: null }]);
  });

  it('a server that refuses is tried again, at most seven times, and the log says so', async () => {
    await raise();
    mail.mode.isFull = true;
    const beganMs = clock().now();
    const pauses: number[] = [];
    for (let tries = 1; tries <= 7; tries++) {
      await workOff(mailQueue(deps()));
      const [row] = await queued();
      expect(row).toMatchObject({ attempts: tries, error: 'EENVELOPE 452' });
      const pauseMs = row?.due_at == null ? 0 : row.due_at - clock().now();
      if (pauseMs > 0) pauses.push(pauseMs / minuteMs);
      // Before its time it is not tried.
      await workOff(mailQueue(deps()));
      expect((await queued())[0]?.attempts).toBe(tries);
      await storage.db.updateTable('alert_mails').set({ due_at: beganMs }).where('due_at', 'is not', null).execute();
    }
    expect(pauses).toEqual([1, 5, 15, 60, 240, 720]);
    expect(await failures()).toEqual([{ message: expect.stringContaining('was not sent: EENVELOPE 452') }]);
    expect(mail.taken).toEqual([]);
  });

  it('a recipient that is refused while another is taken is told of, or tried again alone', async () => {
    await raise();
    mail.mode.refused = { 'ole@pier.test': 452 };
    await workOff(mailQueue(deps()));
    expect(mail.taken.map(({ to }) => to)).toEqual([['pia@pier.test']]);
    expect(await queued()).toMatchObject([{ attempts: 1, error: 'refused for now: 452' }]);
    expect(await failures()).toEqual([]);
    await queueMail(
      storage.db,
      { productId: product_id, mailTo: body.mail_to, subject: 'two', body: 'x' },
      clock().now(),
    );
    mail.mode.refused = { 'ole@pier.test': 550 };
    await workOff(mailQueue(deps()));
    expect(await failures()).toEqual([
      { message: 'The mail "two" was not sent: the mail server refused ole@pier.test (550)' },
    ]);
    mail.mode.refused = {};
    await storage.db
      .updateTable('alert_mails')
      .set({ due_at: clock().now() })
      .where('due_at', 'is not', null)
      .execute();
    await workOff(mailQueue(deps()));
    expect(mail.taken.map(({ to }) => to)).toEqual([['pia@pier.test'], ['pia@pier.test'], ['ole@pier.test']]);
    expect((await queued()).map(({ due_at }) => due_at)).toEqual([null, null]);
  });

  it('a server that is back again gets what has waited', async () => {
    await raise();
    mail.mode.isFull = true;
    await workOff(mailQueue(deps()));
    mail.mode.isFull = false;
    await storage.db.updateTable('alert_mails').set({ due_at: clock().now() }).execute();
    await workOff(mailQueue(deps()));
    expect(mail.taken).toHaveLength(1);
  });

  it('after a server that says nothing the rest waits', async () => {
    const one = { productId: product_id, mailTo: ['pia@pier.test'], subject: 'x', body: 'x' };
    for (const subject of ['one', 'two']) await queueMail(storage.db, { ...one, subject }, clock().now());
    const network = fakeOutbound();
    network.fail({ kind: 'timed_out' });
    await workOff(mailQueue({ ...scene.app.service.deps, outbound: network.outbound }));
    const rows = (await queued()).toSorted((a, b) => a.attempts - b.attempts);
    expect(rows).toMatchObject([
      { attempts: 0, error: null },
      { attempts: 1, error: 'no answer within 20 seconds' },
    ]);
  });

  it('a server that says nothing is given up when the time is over', async () => {
    mail.mode.isSilent = true;
    const time = new VirtualClock();
    const outbound = openOutbound([], time, { smtpUrl: `smtp://127.0.0.1:${mail.port}`, mailFrom: 'a@b.test' });
    const sending = outbound.sendMail({ id: 'x', to: ['pia@pier.test'], subject: 'x', text: 'x', timeoutMs: 20_000 });
    await time.advance(20_000);
    expect(await sending).toEqual({ ok: false, error: { kind: 'timed_out' } });
  });

  // API-LIMIT-alert-mails
  it('a product has a hundred mails in a day; old ones are removed', async () => {
    const one = { productId: product_id, mailTo: ['pia@pier.test'], subject: 'x', body: 'x' };
    for (let number = 0; number < 101; number++) await queueMail(storage.db, one, clock().now());
    expect(await queued()).toHaveLength(100);
    expect(await failures()).toEqual([{ message: expect.stringContaining('has sent 100 within 24 hours') }]);
    await storage.db.updateTable('alert_mails').set({ due_at: null }).execute();
    await removeOldMails(deps());
    expect(await queued()).toHaveLength(100);
    await storage.db
      .updateTable('alert_mails')
      .set({ created_at: clock().now() - 86_400_001 })
      .execute();
    await removeOldMails(deps());
    expect(await queued()).toEqual([]);
    await queueMail(storage.db, one, clock().now());
    expect(await queued()).toHaveLength(1);
  });

  it.each(['pia', 'pia@pier.test,ole@pier.test', 'Pia <pia@pier.test>', 'pia@pier.test\r\nBcc: x@y.test'])(
    'the address %j is refused',
    async (address) => {
      const sent = { ...body, mail_to: [address] };
      const answer = await scene.as('owner').call('alerts.createRule', { params: { product_id }, body: sent } as never);
      expect(outcome(answer)).toBe('INVALID_REQUEST');
    },
  );

  it('without a mail server a rule with addresses is refused', async () => {
    const bare = (await buildApp(storage)).client.as(scene.people.owner.token);
    const answer = await bare.call('alerts.createRule', { params: { product_id }, body });
    expect(outcome(answer)).toBe('NO_MAIL_SERVER');
  });
});

it('a mail names some devices, and says how many more there are', () => {
  const alert = {
    text: 'the last update failed',
    product: 'acme:LIGHT',
    count: 3,
    titles: ['A', 'B'],
    isOver: true,
    atMs: 0,
  };
  expect(mailText(alert)).toBe(
    'No longer: the last update failed\nProduct: acme:LIGHT\nDevices: 3\nAt: 1970-01-01T00:00:00.000Z\n\n- A\n- B\nand 1 more\n',
  );
});
