import { createHash, X509Certificate } from 'node:crypto';
import { transition } from '@moorage/base';
import { afterEach, expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { auditedActions } from '../../testing/audited.ts';
import { buildApp, eachDatabase, extensionsRun, type MadeUser, type TestApp } from '../../testing/index.ts';
import { type TlsCredentials, type TlsDevices, tlsDevices } from '../../testing/tls-devices.ts';
import { type AuthorityState, authorityTransitions, listAuthorities, settleMs } from './authorities.ts';

const known = (ca: string): string =>
  ca
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .map((pem) => createHash('sha256').update(new X509Certificate(pem).raw).digest('hex'))
    .join(',');

const issuerOf = ({ certificate }: { readonly certificate: string }) => new X509Certificate(certificate).issuer;

// API-STATE-authority
it('an authority goes from state to state as its table says, and nowhere else', () => {
  const states: readonly AuthorityState[] = ['next', 'active', 'retiring', 'retired'];
  const triggers = ['settled', 'superseded', 'retire'] as const;
  const table = states.map((from) => triggers.map((trigger) => transition(authorityTransitions, from, trigger) ?? '-'));
  expect(table).toEqual([
    ['active', '-', '-'],
    ['-', 'retiring', '-'],
    ['-', '-', 'retired'],
    ['-', '-', '-'],
  ]);
});

// API-RULE-authority-1, API-RULE-authority-2, API-RULE-authority-3
// API-EP-GET-authorities, API-EP-POST-authorities, API-EP-POST-authorities-retire
eachDatabase('rotation of the authority', (open, kind, address) => {
  const opened: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });

  interface Running {
    readonly app: TestApp;
    readonly devices: TlsDevices;
    readonly admin: MadeUser;
  }

  async function process(url?: string, beside?: Running): Promise<Running> {
    const storage = url === undefined ? await open() : await openRecords(url);
    const app = await buildApp(storage);
    const devices = await tlsDevices(app, beside?.devices.platform);
    const admin = beside?.admin ?? (await app.make.admin());
    opened.push(
      () => storage.close(),
      () => app.service.close(),
      () => devices.close(),
    );
    return { app, devices, admin };
  }

  const list = async ({ app, admin }: Running) => {
    const reply = await app.client.as(admin.token).call('identity.list', {});
    return reply.ok ? reply.value.value : [];
  };
  const states = async (at: Running) => (await list(at)).map(({ state, devices }) => `${state} ${devices}`).sort();
  const rotate = ({ app, admin }: Running) => app.client.as(admin.token).call('identity.rotate', {});
  const retire = ({ app, admin }: Running, force = false) =>
    app.client.as(admin.token).call('identity.retire', { body: { force } });
  /** The new authority has begun to sign. */
  const settled = async ({ app }: Running) => {
    await app.clock.advance(settleMs);
    await app.service.identity.refresh();
  };
  const credentialsOf = (reply: object) => reply as unknown as TlsCredentials & { readonly ca: string };

  it.runIf(extensionsRun)(
    'signs for devices a minute later; devices of either verify the listener and are let in until the old one is retired',
    async () => {
      const at = await process();
      const { app, devices } = at;
      const { identity } = app.service;
      const former = { ca: identity.ca, issuer: issuerOf(identity.server) };
      const { agent } = await devices.deviceOf();
      expect((await rotate(at)).ok).toBe(true);
      expect(await states(at)).toEqual(['active 1', 'next 0']);
      expect(identity.ca).toContain(former.ca);
      expect(issuerOf(await identity.issueDeviceCertificate('a'.repeat(40)))).toBe(former.issuer);
      await settled(at);
      expect(await states(at)).toEqual(['active 0', 'retiring 1']);
      expect(issuerOf(identity.server)).toBe(former.issuer);
      // The old device knows the old authority alone; the response says that it is to renew.
      const info = await devices.call(agent, 'GET', '/info');
      expect(info).toMatchObject({ status: 200, renewal: 'due' });
      const renewed = credentialsOf(await devices.call(agent, 'POST', '/certificate'));
      expect(issuerOf(renewed)).not.toBe(former.issuer);
      expect(renewed.ca).toBe(identity.ca);
      const now = devices.agentFor(renewed, renewed.ca);
      await devices.call(now, 'PUT', '/provision', undefined, { 'x-device-authority': known(renewed.ca) });
      expect(await states(at)).toEqual(['active 1', 'retiring 0']);
      expect(await devices.call(now, 'GET', '/info')).not.toHaveProperty('renewal');
      expect((await retire(at)).ok).toBe(true);
      expect(await auditedActions(app.storage)).toContain('identity.retire');
      // A new connection verifies the listener by the authorities that the renewal has brought.
      const afterwards = devices.agentFor(renewed, renewed.ca);
      expect(await devices.call(afterwards, 'GET', '/info')).toMatchObject({ status: 200 });
      expect(issuerOf(identity.server)).toBe(issuerOf(renewed));
      expect(identity.ca).not.toContain(former.ca);
      // A client that trusts the retired one alone refuses the listener.
      await expect(devices.call(devices.agentFor(renewed, former.ca), 'GET', '/info')).rejects.toThrow('certificate');
      expect(await states(at)).toEqual(['active 1', 'retired 0']);
    },
  );

  it('is not retired while devices go by the old one, those whose client keeps it too, unless that is forced', async () => {
    const at = await process();
    const { app, devices } = at;
    const { agent, row } = await devices.deviceOf();
    expect((await rotate(at)).ok).toBe(true);
    await settled(at);
    // A client of before: it stores the pair and says nothing of the authorities.
    const renewed = credentialsOf(await devices.call(agent, 'POST', '/certificate'));
    expect(await devices.call(devices.agentFor(renewed), 'PUT', '/provision')).toMatchObject({ status: 200 });
    const refused = await retire(at);
    expect(refused).toMatchObject({ ok: false, error: { status: 409, body: { code: 'DEVICES_STRANDED' } } });
    expect(!refused.ok && refused.error.body.message).toBe('1 devices would have to be provisioned again');
    expect((await retire(at, true)).ok).toBe(true);
    const keys = await app.storage.db.selectFrom('authorities').select(['state', 'private_key']).execute();
    expect(keys.filter(({ private_key: key }) => key === '').map(({ state }) => state)).toEqual(['retired']);
    // It comes back as a device that has lost its flash does.
    const again = await app.client.as(at.admin.token).call('devices.renewToken', { params: { device_id: row.id } });
    const token = again.ok ? again.value.value.token : '';
    const fresh = credentialsOf(await devices.call(devices.agentFor(), 'POST', '/provision', { token }));
    const back = await devices.call(devices.agentFor(fresh, fresh.ca), 'PUT', '/provision');
    expect(back).toMatchObject({ status: 200 });
    expect(await states(at)).toEqual(['active 1', 'retired 0']);
  });

  it('is refused while one is open, without one to retire, and to users', async () => {
    const at = await process();
    const user = await at.app.make.user();
    const calls = at.app.client.as(user.token);
    for (const reply of [
      await calls.call('identity.list', {}),
      await calls.call('identity.rotate', {}),
      await calls.call('identity.retire', { body: {} }),
    ])
      expect(reply).toMatchObject({ ok: false, error: { status: 403 } });
    expect(await retire(at)).toMatchObject({ ok: false, error: { body: { code: 'NOTHING_TO_RETIRE' } } });
    const both = await Promise.all([rotate(at), rotate(at)]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await states(at)).toEqual(['active 0', 'next 0']);
    // The name that the list has.
    const newest = (await listAuthorities(at.app.service.deps)).find(({ state }) => state === 'next');
    const refused = (code: string, message: string) => ({ ok: false, error: { body: { code, message } } });
    expect(await rotate(at)).toMatchObject(
      refused('ROTATION_OPEN', `Authority ${newest?.name} is not retired yet; there can be two at a time`),
    );
    expect(await retire(at)).toMatchObject(
      refused(
        'ROTATION_SETTLING',
        `Authority ${newest?.name} signs from a minute after it was made; the one before can be retired then`,
      ),
    );
  });

  it('made by another process, or by a command, is taken without a restart', async () => {
    const url = await address();
    const one = await process(url);
    const two = await process(url, one);
    const { agent } = await two.devices.deviceOf();
    expect((await rotate(one)).ok).toBe(true);
    // The compare, not the message: it may get lost, and one file has no way to send it.
    await two.app.clock.advance(settleMs / 2);
    await expect.poll(() => two.app.service.identity.ca).toBe(one.app.service.identity.ca);
    for (const each of [one, two]) await settled(each);
    const renewed = credentialsOf(await two.devices.call(agent, 'POST', '/certificate'));
    // Signed by one process, shown to the other.
    const there = one.devices.agentFor(renewed, renewed.ca);
    const headers = { 'x-device-authority': known(renewed.ca) };
    expect(await one.devices.call(there, 'PUT', '/provision', undefined, headers)).toMatchObject({ status: 200 });
    expect((await retire(one)).ok).toBe(true);
    if (kind === 'sqlite') await two.app.clock.advance(settleMs / 2);
    await expect.poll(() => two.app.service.identity.ca).toBe(one.app.service.identity.ca);
    const after = two.devices.agentFor(renewed, one.app.service.identity.ca);
    expect(await two.devices.call(after, 'GET', '/info')).toMatchObject({ status: 200 });
  });

  it('is due five years before the end of the authority, and no certificate outlives its authority', async () => {
    const at = await process();
    const { identity } = at.app.service;
    const end = new X509Certificate(identity.ca).validToDate.getTime();
    expect(identity.trouble()).toBeUndefined();
    await expect(untilMs(at, end - 4 * 365 * 86_400_000)).resolves.toMatch(
      /^The authority of this installation ends on /,
    );
    const issued = await identity.issueDeviceCertificate('b'.repeat(40));
    expect(new X509Certificate(issued.certificate).validToDate.getTime()).toBeLessThanOrEqual(end);
  });

  /** What is wrong at a later time: a process that starts then. */
  async function untilMs(at: Running, startMs: number): Promise<string | undefined> {
    const later = await buildApp(at.app.storage, { startMs });
    const trouble = later.service.identity.trouble();
    await later.service.close();
    return trouble;
  }
});
