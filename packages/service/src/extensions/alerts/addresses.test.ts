import { unwrap } from '@moorage/base';
import { beforeEach, expect, it } from 'vitest';
import { workOff } from '../../engine/db/queue.ts';
import type { Storage } from '../../engine/db/storage.ts';
import type { MailMessage } from '../../engine/outbound/ports.ts';
import { outcome } from '../../testing/device-world.ts';
import { fakeOutbound } from '../../testing/fake-outbound.ts';
import { eachDatabase } from '../../testing/index.ts';
import { type ProductScene, productScene, type Who } from '../../testing/product-scene.ts';
import { linkQueue } from '../accounts/link-mails.ts';
import { mailQueue, queueMail } from './mails.ts';

const weekMs = 7 * 86_400_000;

// API-RULE-alert-6
eachDatabase('addresses of alerts', (open) => {
  let storage: Storage;
  let scene: ProductScene;
  let outside: ReturnType<typeof fakeOutbound>;
  let product_id: string;

  beforeEach(async () => {
    storage = await open();
    outside = fakeOutbound();
    const settings = { smtpUrl: 'smtp://mail.test', publicUrl: 'https://hub.test' };
    scene = await productScene(storage, { settings, outbound: outside.outbound });
    product_id = (await scene.add()).id;
  });

  const deps = () => ({ ...scene.app.service.deps, outbound: outside.outbound });
  // Safe: nothing else leaves the machine here.
  const mails = () => outside.sent as MailMessage[];
  const condition = { kind: 'offline', minutes: 10 } as const;
  const add = (mail_to: string[], who: Who = 'owner', product = product_id) =>
    scene.as(who).call('alerts.createRule', {
      params: { product_id: product },
      body: { title: 'Dark', condition, mail_to },
    });
  /** Confirms by the links that were mailed to an address. */
  async function confirm(address: string): Promise<string> {
    await workOff(linkQueue(deps()));
    const mail = mails().findLast(({ to }) => to.includes(address));
    const token = /confirm-email#(\S+)/.exec(mail?.text ?? '')?.[1] ?? 'none';
    return outcome(await scene.app.client.call('links.confirm', { body: { token: decodeURIComponent(token) } }));
  }
  /** Who gets the mail of an alert. */
  async function told(mailTo: readonly string[]): Promise<readonly string[]> {
    const before = mails().length;
    await queueMail(storage.db, { productId: product_id, mailTo, subject: 'x', body: 'x' }, scene.app.clock.now());
    await workOff(mailQueue(deps()));
    return mails()
      .slice(before)
      .flatMap(({ to }) => to);
  }
  const unconfirmed = async () =>
    unwrap(await scene.as('owner').call('alerts.rules', { params: { product_id } })).value.map(
      (rule) => rule.mail_unconfirmed,
    );

  it('get nothing but the link before it is used, and then the alerts of that product', async () => {
    const addresses = ['Pia@pier.test', 'ole@pier.test'];
    expect(unwrap(await add(addresses)).value).toMatchObject({ mail_to: addresses, mail_unconfirmed: addresses });
    expect(await told(addresses)).toEqual([]);
    expect(await confirm('pia@pier.test')).toBe('ok');
    expect(mails().map(({ subject }) => subject)).toEqual(['Alerts to this address', 'Alerts to this address']);
    const { product } = unwrap(await scene.as('owner').call('products.get', { params: { product_id } })).value;
    expect(mails()[0]?.text).toContain(`alerts of the product "${product}"`);
    expect(await unconfirmed()).toEqual([['ole@pier.test']]);
    expect(await told(addresses)).toEqual(['Pia@pier.test']);
    // Once, and for this product alone.
    expect(await confirm('pia@pier.test')).toBe('WRONG_LINK');
    const other = await scene.add();
    expect(unwrap(await add(['pia@pier.test'], 'owner', other.id)).value.mail_unconfirmed).toEqual(['pia@pier.test']);
  });

  it('are mailed one link in a week, however often the rule is saved', async () => {
    const { id } = unwrap(await add(['pia@pier.test'])).value;
    const body = { title: 'Dark', condition, mail_to: ['PIA@pier.test'] };
    const save = async () =>
      unwrap(await scene.as('owner').call('alerts.updateRule', { params: { rule_id: id }, body }));
    await save();
    await workOff(linkQueue(deps()));
    await save();
    await workOff(linkQueue(deps()));
    expect(mails()).toHaveLength(1);
    await storage.db.updateTable('mail_links').set({ expires_at: scene.app.clock.now() }).execute();
    expect(await confirm('pia@pier.test')).toBe('WRONG_LINK');
    await save();
    expect(await confirm('pia@pier.test')).toBe('ok');
    expect(await storage.db.selectFrom('mail_links').select('expires_at').orderBy('expires_at').execute()).toEqual([
      { expires_at: scene.app.clock.now() },
      { expires_at: scene.app.clock.now() + weekMs },
    ]);
  });

  it('that are the confirmed one of who saves the rule need no link; those of others do', async () => {
    const { owner, manager } = scene.people;
    expect(unwrap(await add([owner.email])).value.mail_unconfirmed).toEqual([owner.email]);
    await storage.db.updateTable('users').set({ email_confirmed_at: 1 }).execute();
    const saved = unwrap(await add([owner.email.toUpperCase(), manager.email])).value;
    expect(saved.mail_unconfirmed).toEqual([manager.email]);
    expect(unwrap(await add([manager.email], 'manager')).value.mail_unconfirmed).toEqual([]);
  });

  // API-LIMIT-alert-links
  it('that wait are limited for an account, and over all for an address', async () => {
    const products = await Promise.all(Array.from({ length: 4 }, () => scene.add()));
    const done: string[] = [];
    for (const { id } of products) done.push(outcome(await add(['pia@pier.test'], 'owner', id)));
    expect(done).toEqual(['ok', 'ok', 'ok', 'LIMIT_REACHED']);
    const many = (from: number, count: number) =>
      add(Array.from({ length: count }, (_, index) => `a${from + index}@pier.test`));
    expect([outcome(await many(0, 10)), outcome(await many(10, 8))]).toEqual(['ok', 'LIMIT_REACHED']);
    expect(outcome(await many(10, 7))).toBe('ok');
    // What is refused leaves neither a rule nor a mail.
    const rows = await storage.db.selectFrom('mail_links').select('id').execute();
    expect([rows.length, (await unconfirmed()).length]).toEqual([20, 2]);
  });
});
