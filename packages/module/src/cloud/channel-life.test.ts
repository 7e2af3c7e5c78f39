import { unwrap } from '@moorage/base';
import { waits } from '@moorage/device/channel/table';
import type { PeerBundle } from '@moorage/device/testing/service-peer';
import { describe, expect, test } from 'vitest';
import { channelRig } from '../testing/channel-rig.ts';
import { pattern } from '../testing/client-rig.ts';

const remote = { 'dms.cmd.enabled': '1' };

/** Spec: MOD-CHAN-reconnect. */
describe('a channel that ends', () => {
  /** Times at which the module dials, from the end of the channel on, in ms. */
  async function dialsAfter(end: (rig: Awaited<ReturnType<typeof channelRig>>) => void, overMs: number) {
    const rig = await channelRig(remote);
    // It has been steady.
    await rig.clock.advance(61_000);
    end(rig);
    const startMs = rig.clock.now();
    const times: number[] = [];
    for (let seen = rig.channel.requests.length; rig.clock.now() - startMs < overMs; ) {
      await rig.clock.advance(80);
      await rig.settle();
      if (rig.channel.requests.length > seen) times.push(rig.clock.now() - startMs);
      seen = rig.channel.requests.length;
    }
    return { ...rig, times };
  }

  test.each([
    [1012, 'restarting'],
    [4001, 'replaced'],
    [4003, 'refused'],
    [1011, 'lost'],
  ] as const)('with code %i comes back in its own time (%s)', async (code, reason) => {
    const { firstMs } = waits[reason];
    const { times, channel, events } = await dialsAfter((rig) => rig.channel.close(code), firstMs + 500);
    expect(times).toHaveLength(1);
    expect(times[0]).toBeGreaterThan(firstMs / 2);
    expect(channel.isOpen).toBe(true);
    expect(events).toContainEqual({ type: 'channel', open: false, reason });
  });

  test.each([0, 2_000, 700_000])('with a time to come back comes back after it (%d ms)', async (afterMs) => {
    const { times, channel } = await dialsAfter((rig) => {
      rig.channel.send({ action: 'come_back', after_ms: afterMs });
      rig.channel.close(1012);
    }, afterMs + 500);
    expect(times).toHaveLength(1);
    expect(times[0]).toBeGreaterThanOrEqual(afterMs);
    expect(channel.isOpen).toBe(true);
  });

  test.each([
    ['another end', 1011, 3_600_000],
    ['a time that is none', 1012, -1],
  ] as const)('is not held to its time by %s', async (_, code, afterMs) => {
    const { times } = await dialsAfter((rig) => {
      rig.channel.send({ action: 'come_back', after_ms: afterMs });
      rig.channel.close(code);
    }, 11_000);
    expect(times).toHaveLength(1);
  });

  test('a refusal that names a time is heeded, and not by all at the same moment', async () => {
    const dials: number[] = [];
    for (let device = 0; device < 3; device++) {
      const { times } = await dialsAfter(({ channel }) => {
        Object.assign(channel, { refuseWith: 503, retryAfterS: 40 });
        channel.close(1011);
      }, 90_000);
      const [first = 0, second = 0] = times;
      dials.push(second - first);
    }
    expect(dials.every((waitedMs) => waitedMs >= 41_000 - 100 && waitedMs <= 42_200)).toBe(true);
  });

  test('is dialled with waits that double, up to five minutes, while the service is away', async () => {
    const { times } = await dialsAfter(({ channel }) => {
      channel.refuseWith = 503;
      channel.close(1011);
    }, 3_600_000);
    const gaps = times.map((at, index) => at - (times[index - 1] ?? 0));
    for (const [index, gap] of gaps.entries()) {
      const wholeMs = Math.min(1000 * 2 ** index, 300_000);
      expect(gap).toBeGreaterThanOrEqual(wholeMs / 2 - 100);
      expect(gap).toBeLessThanOrEqual(wholeMs + 200);
    }
    // 8 waits grow, then one comes every 150 to 300 s.
    expect(times.length).toBeGreaterThan(8 + 10);
    expect(times.length).toBeLessThan(12 + 24);
    expect(new Set(gaps.slice(-5)).size).toBeGreaterThan(1);
  });

  test('that was never steady counts as a failure', async () => {
    const { channel, clock } = await channelRig(remote);
    for (let round = 0; round < 8; round++) {
      channel.close(1011);
      await clock.advance(1000 * 2 ** round + 200);
      expect(channel.isOpen).toBe(true);
    }
    channel.close(1011);
    await clock.advance(60_000);
    expect(channel.isOpen).toBe(false);
  });

  test('a refusal of the handshake is asked again after minutes', async () => {
    const { times } = await dialsAfter(({ channel }) => {
      channel.refuseWith = 403;
      channel.close(4003);
    }, 3_000_000);
    expect(times.length).toBeGreaterThanOrEqual(3);
    expect(times.length).toBeLessThanOrEqual(5);
  });

  test('a server that takes the connection and says nothing is given up', async () => {
    const { times, events } = await dialsAfter(({ channel }) => {
      channel.silent = true;
      channel.close(1011);
    }, 50_000);
    expect(times).toHaveLength(2);
    expect(times[1]).toBeGreaterThan(30_000);
    expect(events.filter(({ type }) => type === 'channel').at(-1)).toMatchObject({ open: false, reason: 'lost' });
  });

  test('wherever the connection is cut, the channel comes back', async () => {
    for (let cut = 0; cut < 240; cut += 7) {
      const { channel, network, module, clock, join } = await channelRig({});
      let dials = 0;
      network.conditions = () => {
        dials++;
        if (dials === 1) return { cutAfterBytes: cut, latencyMs: 20, jitterMs: 30 };
        return dials === 2 ? { cutAfterSentBytes: cut, latencyMs: 20 } : { latencyMs: 20, jitterMs: 30 };
      };
      expect(module.variables.assign(['dms.cmd.enabled', '1']).ok).toBe(true);
      channel.answer = ({ id }) => ({ id, data: null });
      module.wlan.down('wlan');
      await join();
      for (let round = 0; round < 30 && dials < 3; round++) {
        channel.send({ id: round, request: 'command', data: 'ver' });
        await clock.advance(1_000);
      }
      await clock.advance(10_000);
      expect(channel.isOpen, `cut after ${cut} bytes`).toBe(true);
    }
  });
});

/** Spec: MOD-CHAN-ping. */
describe('a silent channel', () => {
  test('is pinged, and stays as long as the service answers', async () => {
    const { channel, clock } = await channelRig(remote);
    await clock.advance(600_000);
    expect(channel.pings).toBeGreaterThan(8);
    expect(channel.pings).toBeLessThan(21);
    expect(channel.requests).toHaveLength(1);
  });

  test('is given up when the service is gone without a word', async () => {
    const { channel, clock } = await channelRig(remote);
    channel.deaf = true;
    await clock.advance(89_000);
    expect(channel.ends).toEqual([]);
    await clock.advance(32_000);
    expect(channel.ends).toHaveLength(1);
    channel.deaf = false;
    await clock.advance(2_000);
    expect(channel.isOpen).toBe(true);
  });

  test('needs no ping of its own while the service talks', async () => {
    const { channel, clock } = await channelRig(remote);
    for (let round = 0; round < 40; round++) {
      await clock.advance(14_000);
      channel.ping();
    }
    expect(channel.pings).toBe(0);
  });
});

/** Spec: MOD-CHAN-ota. */
describe('an update that the service announces', () => {
  const bundle: PeerBundle = {
    id: '22222222-2222-4222-8222-222222222222',
    version: '1.0.0.2',
    files: [{ name: 'page.html', content: pattern(2000) }],
  };
  const automatic = { 'dms.auto_start_enabled': '1', 'wlan.auto_join.enabled': '1' };

  async function woken(settings: Readonly<Record<string, string>> = automatic) {
    const rig = await channelRig(settings);
    rig.peer.bundle = bundle;
    const queries = () => rig.peer.requests.filter(({ path }) => path === '/ota').length;
    return { ...rig, queries };
  }

  test('is installed within half a minute, with the restart, and reported', async () => {
    const { channel, clock, module, printed, queries } = await woken();
    expect(queries()).toBe(0);
    channel.send({ action: 'ota' });
    channel.send({ action: 'ota' });
    await clock.advance(32_000);
    expect(module.client.installed()?.bundleId).toBe(bundle.id);
    expect(printed.filter((line) => !line.includes('Associat'))).toEqual(
      expect.arrayContaining(['Updating page.html', 'Rebooting']),
    );
    // The restarted module is back on its channel and asks once more, in case that it has missed something.
    await clock.advance(60_000);
    expect(channel.isOpen).toBe(true);
    expect(queries()).toBe(2);
  });

  test('is found by a module that was away', async () => {
    const { clock, module } = await woken();
    await clock.advance(32_000);
    expect(module.client.installed()?.bundleId).toBe(bundle.id);
  });

  // API-RULE-poll-1
  test('is asked for again when the service has said, and by a module that updates itself alone', async () => {
    for (const [settings, wanted] of [
      [automatic, 3],
      [remote, 1],
    ] as const) {
      const { clock, module, peer, queries, until } = await woken(settings);
      peer.answers.set('POST /ota', {
        status: 200,
        body: { result: 'none', bundle_id: bundle.id, bversion: 'x', next_poll_s: 3_600 },
      });
      // The first query is one by hand, or that of a module that has come to its channel.
      if (settings === remote) unwrap(await until(module.client.update()));
      else await clock.advance(32_000);
      expect(queries()).toBe(1);
      await clock.advance(3_500_000);
      expect(queries()).toBe(1);
      await clock.advance(3_700_000 + 100_000);
      expect(queries()).toBe(wanted);
    }
  });

  test('is installed at once and restarts the module in its window', async () => {
    const { clock, module, peer, printed } = await woken();
    peer.hints = { install: { force: 'forced', wait_s: 7_200 } };
    await clock.advance(60_000);
    expect(peer.reports).toHaveLength(1);
    expect(printed).not.toContain('Rebooting');
    // Commands go on meanwhile.
    expect((await module.execute('get dms.cmd.enabled')).code).toBe(0);
    await clock.advance(7_200_000);
    expect(printed).toContain('Rebooting');
    expect(peer.reports.length).toBeGreaterThan(1);
  });

  // MOD-VAR-ota.consent
  test.each([
    ['later', 0, []],
    ['no', 0, [{ result: 3, failure: 'refused' }]],
    ['yes', 1, [{ result: 1 }]],
  ] as const)('that is not forced is taken as ota.consent says: %s', async (consent, downloads, reports) => {
    const { clock, module, peer } = await woken();
    peer.hints = { install: { force: 'soft', wait_s: 7_200 } };
    await module.execute(`set ota.consent ${consent}`);
    await clock.advance(60_000);
    expect(Math.sign(peer.downloads.length)).toBe(downloads);
    expect(peer.reports).toMatchObject(reports);
  });

  test('is left alone without auto start', async () => {
    const { channel, clock, queries } = await woken(remote);
    channel.send({ action: 'ota' });
    await clock.advance(120_000);
    expect(queries()).toBe(0);
  });

  test('is tried again while the service fails, and not after a refusal', async () => {
    const { clock, module, peer, queries } = await woken();
    peer.refuse('POST /ota', 503);
    await clock.advance(300_000);
    expect(queries()).toBeGreaterThan(3);
    peer.answers.clear();
    await clock.advance(400_000);
    expect(module.client.installed()?.bundleId).toBe(bundle.id);
    const refused = await woken();
    refused.peer.refuse('POST /ota', 403);
    await refused.clock.advance(600_000);
    expect(refused.queries()).toBe(1);
  });

  test('waits for the command that runs', async () => {
    const { clock, module, queries } = await woken();
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = module.queue.run(() => promise);
    await clock.advance(60_000);
    expect(queries()).toBe(0);
    resolve();
    await running;
    await clock.advance(1_000);
    expect(queries()).toBe(1);
  });

  test('is not begun by a module that has been switched off', async () => {
    const { clock, module, queries } = await woken();
    await module.close();
    await clock.advance(120_000);
    expect(queries()).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
