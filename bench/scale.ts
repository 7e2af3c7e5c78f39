import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, PostgresServer } from '@moorage/service/testing/postgres-server';
import { openChannel, pause, settledBytes } from './channels.ts';
import { type Finding, interleave, type Peer, report, residentBytes, startPeer } from './harness.ts';
import { type Load, runLoad } from './load.ts';
import { startBarePeer } from './service-peer.ts';

// How much a box and several carry: `npm run bench:scale -- --devices 1000000 --channels 10000 --seconds 10`.
const { values: given } = parseArgs({
  options: {
    devices: { type: 'string', default: '20000' },
    channels: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '2' },
    databases: { type: 'string', default: 'SQLite,PostgreSQL' },
  },
});
const deviceCount = Number(given.devices);
const channelCount = Number(given.channels);
const clientCount = Number(given.clients);
const durationMs = Number(given.seconds) * 1000;
const rounds = Number(given.rounds);

/** Channels that are dialled at a time, and the pause of one that finds nothing there. */
const lanes = 64;
const redialMs = 200;
/** Channels that are opened before memory is counted: they bring what all share. */
const shared = 100;
const samplesPerBatch = 50;
const batchMark = '0000000000000000';

interface NodeReady {
  readonly api: number;
  readonly devices: number;
  readonly ca: string;
  readonly server: { readonly certificate: string; readonly key: string };
}

/** What the first node says beside that of what it has made. */
interface FirstReady extends NodeReady {
  readonly token: string;
  readonly bundleId: string;
  readonly certificates: readonly { readonly cert: string; readonly key: string }[];
  readonly uuids: readonly string[];
  readonly bytes: number;
  readonly plainBytes: number;
}

interface Scene {
  readonly name: string;
  readonly first: FirstReady;
  readonly node: Peer;
  /** Starts another node on the same database, or the first one again. */
  startNode(devicePort: number): Promise<Peer>;
}

const readyOf = (peer: Peer): NodeReady => peer.ready as unknown as NodeReady;

const loadOf = ({ first }: Scene, more: Partial<Load>): Load => ({
  port: first.devices,
  connections: clientCount,
  durationMs,
  paths: ['/ota'],
  method: 'POST',
  headers: {},
  body: '',
  tls: { ca: first.ca, clients: first.certificates },
  ...more,
});

const bareTls = ({ first: { ca, server } }: Scene) => ({ ca, cert: server.certificate, key: server.key });

const perSecond = async (load: Load): Promise<number> => (await runLoad(load)).perSecond;

/** Update queries with a durable last contact, at one node and at two. */
async function polls(scene: Scene, second?: Peer): Promise<Finding> {
  const { first } = scene;
  const body = JSON.stringify({ bid: first.bundleId, mac: '02:00:00:00:00:01', files: [] });
  const text = JSON.stringify({ result: 'none', bundle_id: first.bundleId, bversion: 'OWNER-CODE-0.0.0.1, 2026' });
  const load = loadOf(scene, { body });
  const bare = await startBarePeer({ text, tls: bareTls(scene) });
  const ports = [first.devices, ...(second ? [readyOf(second).devices] : [])];
  const share = { ...load, connections: Math.ceil(clientCount / ports.length) };
  try {
    const pair = await interleave(
      rounds,
      async () =>
        (await Promise.all(ports.map((port) => perSecond({ ...share, port })))).reduce((sum, one) => sum + one, 0),
      () => perSecond({ ...load, port: Number(bare.ready.port) }),
    );
    const label = `${scene.name}${second ? ', two nodes' : ''}: update queries, last contact durable`;
    return { label, beside: 'one bare node:https', unit: 'requests/s', ...pair };
  } finally {
    await bare.stop();
  }
}

async function samples(scene: Scene): Promise<Finding> {
  const list = Array.from({ length: samplesPerBatch }, (_, index) => ({
    n: `s${index % 5}`,
    v: Math.round(Math.sin(index) * 1000) / 100,
    t: Math.floor(Date.now() / 1000) + index,
  }));
  const body = JSON.stringify({ batch: batchMark, samples: list });
  const load = loadOf(scene, { paths: ['/device/v1/data'], body, uniqueMark: batchMark });
  const bare = await startBarePeer({ text: '{"result":"ok"}', parse: true, tls: bareTls(scene) });
  try {
    const pair = await interleave(
      rounds,
      async () => (await perSecond(load)) * samplesPerBatch,
      async () => (await perSecond({ ...load, port: Number(bare.ready.port) })) * samplesPerBatch,
    );
    const beside = 'node:https that parses the same and answers';
    return { label: `${scene.name}: samples in batches of 50, durable`, beside, unit: 'samples/s', ...pair };
  } finally {
    await bare.stop();
  }
}

/** A device at random, and a page of the list, among all that are registered. */
async function reads(scene: Scene): Promise<readonly Finding[]> {
  const { first } = scene;
  const headers = { Authorization: `Bearer ${first.token}` };
  const asked = { port: first.api, method: 'GET', headers, durationMs } as const;
  const findings: Finding[] = [];
  for (const [what, paths] of [
    ['a device by uuid, at random', first.uuids.map((uuid) => `/api/devices/${uuid}`)],
    ['a page of 20 devices', ['/api/devices?limit=20']],
  ] as const) {
    const { tls: _tls, ...load } = loadOf(scene, { ...asked, paths });
    const sample = await fetch(`http://127.0.0.1:${first.api}${paths[0]}`, { headers });
    const bare = await startBarePeer({ text: await sample.text() });
    try {
      const pair = await interleave(
        rounds,
        () => perSecond(load),
        () => perSecond({ ...load, port: Number(bare.ready.port) }),
      );
      const label = `${scene.name}: ${what} of ${deviceCount.toLocaleString('en')}`;
      findings.push({ label, beside: 'bare node:http', unit: 'requests/s', ...pair });
    } finally {
      await bare.stop();
    }
  }
  return findings;
}

/** Opens channels up to a count, again and again until each is there; returns how many tries failed while one listened. */
async function openUpTo(load: Load, sockets: Socket[], count: number): Promise<number> {
  let failed = 0;
  let next = sockets.length;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      for (;;) {
        try {
          const socket = await openChannel(load, '', index);
          socket.on('error', () => {});
          sockets.push(socket);
          break;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') failed += 1;
          await pause(redialMs);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return failed;
}

const findingOf = (label: string, beside: string, unit: string, ours: number, theirs: number): Finding => ({
  label,
  beside,
  unit,
  ours: [ours],
  theirs: [theirs],
});

/** Memory of idle channels, and how long it takes until all are back after their node was killed. */
async function channels(scene: Scene): Promise<readonly Finding[]> {
  const devicePort = await freePort();
  const load = loadOf(scene, { port: devicePort, method: 'GET', paths: ['/stream'] });
  const run = async (start: () => Promise<Peer>, portOf: (peer: Peer) => number) => {
    let peer = await start();
    const at = () => ({ ...load, port: portOf(peer) });
    const sockets: Socket[] = [];
    await openUpTo(at(), sockets, shared);
    const before = await settledBytes(peer);
    await openUpTo(at(), sockets, channelCount);
    const kibibytes = ((await settledBytes(peer)) - before) / (channelCount - shared) / 1024;
    await peer.stop();
    for (const socket of sockets.splice(0)) socket.destroy();
    const killedMs = performance.now();
    peer = await start();
    const failed = await openUpTo(at(), sockets, channelCount);
    const seconds = (performance.now() - killedMs) / 1000;
    for (const socket of sockets) socket.destroy();
    await peer.stop();
    return { kibibytes, seconds, failed };
  };
  const ours = await run(
    () => scene.startNode(devicePort),
    () => devicePort,
  );
  const bareArgument = JSON.stringify({ tls: bareTls(scene) });
  const theirs = await run(
    () => startPeer('peers/bare-sockets.ts', [bareArgument]),
    (peer) => Number(peer.ready.port),
  );
  const beside = 'a bare web-socket server with TLS';
  const perGib = (kibibytes: number) => (1024 * 1024) / kibibytes;
  const count = channelCount.toLocaleString('en');
  return [
    findingOf(
      `${scene.name}: idle channels with mutual TLS`,
      beside,
      'per GiB',
      perGib(ours.kibibytes),
      perGib(theirs.kibibytes),
    ),
    findingOf(
      `${scene.name}: ${count} channels back after kill -9 (${ours.failed} tries failed, bare ${theirs.failed})`,
      beside,
      's',
      ours.seconds,
      theirs.seconds,
    ),
  ];
}

async function size({ name, first, node }: Scene): Promise<readonly Finding[]> {
  const memory = await residentBytes(node.process.pid ?? 0);
  const bare = await startBarePeer({ text: '{}' });
  const bareMemory = await residentBytes(bare.process.pid ?? 0);
  await bare.stop();
  const mib = 1024 * 1024;
  const count = deviceCount.toLocaleString('en');
  return [
    findingOf(
      `${name}: ${count} devices on disk`,
      'their rows as plain text',
      'MiB',
      first.bytes / mib,
      first.plainBytes / mib,
    ),
    findingOf(
      `${name}: memory with ${count} devices`,
      'a bare node:http process',
      'MiB',
      memory / mib,
      bareMemory / mib,
    ),
  ];
}

async function measure(kind: 'SQLite' | 'PostgreSQL'): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-scale-'));
  const server = kind === 'PostgreSQL' ? await PostgresServer.create() : undefined;
  await server?.start();
  const url = server?.url() ?? `sqlite:${join(folder, 'moorage.db')}`;
  const start = (argument: object) => startPeer('peers/scale-node.ts', [JSON.stringify({ url, ...argument })]);
  const certified = Math.max(clientCount, channelCount);
  const node = await start({ devicePort: 0, make: { devices: Math.max(deviceCount, certified), clients: certified } });
  const scene: Scene = {
    name: kind,
    node,
    // Written by that very script.
    first: node.ready as unknown as FirstReady,
    startNode: (devicePort) => start({ devicePort }),
  };
  const tell = (...findings: readonly Finding[]) => {
    for (const finding of findings) console.log(report(finding));
  };
  try {
    tell(await polls(scene));
    if (server) {
      const second = await scene.startNode(0);
      tell(await polls(scene, second));
      await second.stop();
    }
    tell(await samples(scene));
    tell(...(await reads(scene)));
    tell(...(await size(scene)));
    tell(...(await channels(scene)));
  } finally {
    await node.stop();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const load = loadavg().map((one) => one.toFixed(1));
console.log(
  `Node ${process.version}, ${cpus().length} processors, load before ${load.join(', ')}. Medians of the rounds.`,
);
for (const kind of ['SQLite', 'PostgreSQL'] as const) if (given.databases.includes(kind)) await measure(kind);
