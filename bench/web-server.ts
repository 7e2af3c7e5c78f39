import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Benchmark, type Finding, interleave, type Peer, startPeer } from './harness.ts';
import { type Load, runLoad } from './load.ts';
import { startBarePeer } from './service-peer.ts';

const rounds = 5;
const fileBytes = 256 * 1024;
const moduleCount = 1_000;

const startWeb = (settings: object): Promise<Peer> =>
  startPeer('peers/web.ts', [JSON.stringify({ count: 1, enabled: true, fileBytes: 0, flash: 'memory', ...settings })]);

/** As many connections as a module serves. */
const load: Load = {
  port: 0,
  connections: 8,
  durationMs: 2_000,
  paths: ['/command/get%20wlan.ssid'],
  method: 'GET',
  headers: {},
  body: '',
};

async function commands(): Promise<Finding> {
  const module = await startWeb({});
  const port = Number(module.ready.port);
  const sample = await fetch(`http://127.0.0.1:${port}${load.paths[0]}`);
  const bare = await startBarePeer({ text: await sample.text() });
  const perSecond = async (to: number): Promise<number> => (await runLoad({ ...load, port: to })).perSecond;
  try {
    const pair = await interleave(
      rounds,
      () => perSecond(port),
      () => perSecond(Number(bare.ready.port)),
    );
    const label = 'GET /command/get%20wlan.ssid';
    return { label, beside: 'node:http', unit: 'requests/s', ...pair, goal: { atLeast: 0.75 } };
  } finally {
    await Promise.all([module.stop(), bare.stop()]);
  }
}

async function files(flash: 'memory' | 'disk'): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-bench-'));
  const file = join(folder, 'file.bin');
  await writeFile(file, Buffer.alloc(fileBytes, 'moorage '));
  const module = await startWeb({ fileBytes, flash });
  const bare = await startBarePeer({ file });
  const perSecond = async (peer: Peer): Promise<number> =>
    (await runLoad({ ...load, paths: ['/file.bin'], port: Number(peer.ready.port) })).perSecond;
  try {
    const pair = await interleave(
      rounds,
      () => perSecond(module),
      () => perSecond(bare),
    );
    const label = `256 KiB file from flash in ${flash}`;
    return { label, beside: 'node:http streaming a file', unit: 'files/s', ...pair, goal: { atLeast: 0.7 } };
  } finally {
    await Promise.all([module.stop(), bare.stop()]);
    await rm(folder, { recursive: true });
  }
}

/** Memory of a joined module with an idle server, less that of one without. */
async function idle(): Promise<Finding> {
  const kibibytes = async (enabled: boolean): Promise<number> => {
    const peer = await startWeb({ count: moduleCount, enabled });
    await peer.stop();
    return Number(peer.ready.bytesEach) / 1024;
  };
  const pair = await interleave(
    3,
    () => kibibytes(true),
    () => kibibytes(false),
  );
  const ours = pair.ours.map((value, round) => value - (pair.theirs[round] ?? 0));
  return {
    label: 'an idle server costs a module',
    beside: 'a module without one, all in all',
    unit: 'KiB',
    ours,
    theirs: pair.theirs,
    limit: { atMost: 10 },
  };
}

export const webServer: Benchmark = {
  name: 'web-server',
  goal: 'embedded HTTP server: GET /command/get%20wlan.ssid at least 0.75 of bare node:http, a 256 KiB file at least 0.7, an idle server at most 10 KiB a module',
  run: async () => [await commands(), await files('memory'), await files('disk'), await idle()],
};
