import { ignoreFailure, unwrap, VirtualClock } from '@moorage/base';
import { blankResponse, readDns, writeDns } from '@moorage/net/dns/dns-message';
import { mdnsGroup, mdnsPort } from '@moorage/net/dns/mdns-browser';
import { MemoryNetwork } from '@moorage/net/memory';
import { expect, test } from 'vitest';
import { ModuleNet } from './module-net.ts';

/** A module's network, with a printer that is known by mDNS alone and a host that is known by DNS. */
async function namesRig() {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  const net = new ModuleNet(network.attach('module', '10.5.6.108'), clock);
  network.attach('only-dns.local', '10.5.6.40');
  const printer = network.attach('10.5.6.30', '10.5.6.30');
  let lookups = 0;
  const opened = await printer.datagrams({ port: mdnsPort, group: mdnsGroup }, ({ bytes }) => {
    const query = readDns(bytes);
    const question = query?.isResponse ? undefined : query?.questions[0];
    if (question === undefined) return;
    lookups++;
    if (question.name !== 'printer.local' || !opened.ok) return;
    const answers = [{ name: 'printer.local', type: 'A', ttl: 120, data: '10.5.6.30' } as const];
    ignoreFailure(opened.value.send(writeDns({ ...blankResponse, answers }), mdnsGroup, mdnsPort));
  });
  const soon = async <T>(task: Promise<T>): Promise<T> => {
    await clock.advance(1_000);
    return task;
  };
  return { lookups: () => lookups, clock, net, network, printer, soon };
}

// MOD-RULE-mdns
test('a .local name is looked for by mDNS', async () => {
  const { clock, net, soon } = await namesRig();
  expect(await soon(net.resolve('printer.local'))).toEqual({ ok: true, value: '10.5.6.30' });
  expect(await soon(net.ping('Printer.local', 500))).toMatchObject({ ok: false });
  expect(clock.pending).toBe(0);
});

test('a .local name without an answer is looked for as before', async () => {
  const { lookups, net, soon } = await namesRig();
  expect(await soon(net.resolve('only-dns.local'))).toEqual({ ok: true, value: '10.5.6.40' });
  expect(lookups()).toBe(3);
  expect(await soon(net.resolve('nobody.local'))).toMatchObject({ ok: false, error: { error: 'not-found' } });
});

test.each(['only-dns', '10.5.6.40', 'local', '.local', 'a..local', `${'a'.repeat(64)}.local`])(
  '%s is no name for mDNS',
  async (host) => {
    const { lookups, net, soon } = await namesRig();
    expect((await soon(net.resolve(host))).ok).toBe(host === '10.5.6.40');
    expect(lookups()).toBe(0);
  },
);

test('a connection and a datagram go to where mDNS says', async () => {
  const { net, printer, soon } = await namesRig();
  const received: string[] = [];
  unwrap(await printer.datagrams({ port: 9 }, ({ bytes }) => received.push(Buffer.from(bytes).toString())));
  unwrap(await printer.listen(631, ({ stream }) => stream.end('hello')));
  const dialled = await soon(net.dial({ host: 'printer.local', port: 631, timeoutMs: 100 }));
  expect(dialled).toMatchObject({ ok: true, value: { remoteAddress: '10.5.6.30' } });
  const opened = await net.datagrams({ port: 0 }, () => {});
  if (!opened.ok) throw new Error(opened.error.detail);
  expect(opened.value.port).toBeGreaterThan(0);
  expect(await soon(opened.value.send(Buffer.from('hi'), 'printer.local', 9))).toEqual({ ok: true, value: undefined });
  expect(received).toEqual(['hi']);
  await opened.value.close();
  expect((await opened.value.send(Buffer.from('hi'), '10.5.6.30', 9)).ok).toBe(false);
});
