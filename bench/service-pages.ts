import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type Benchmark, type Finding, interleave, median, type Peer, startPeer } from './harness.ts';
import { startBarePeer } from './service-peer.ts';

const requestsPerRound = 60;
const rounds = 3;

interface Fleet {
  readonly api: string;
  readonly token: string;
  readonly productId: string;
  readonly email: string;
  readonly password: string;
  readonly startupMs: number;
}

/** The median time of one request after another, in milliseconds. */
async function timeOf(url: string, init: RequestInit): Promise<number> {
  const times: number[] = [];
  for (let request = 0; request < requestsPerRound; request++) {
    const startMs = performance.now();
    const response = await fetch(url, init);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - startMs);
  }
  return median(times);
}

async function pageFindings(kind: string, fleet: Fleet): Promise<Finding[]> {
  const headers = { Authorization: `Bearer ${fleet.token}` };
  const pages = {
    'filtered device list': `/api/devices?state=active&product_id=${fleet.productId}&limit=50`,
    'device search': '/api/devices?q=light%2099&limit=50',
    'bundle list with counts': `/api/products/${fleet.productId}/bundles`,
  };
  const findings: Finding[] = [];
  for (const [name, path] of Object.entries(pages)) {
    const text = await (await fetch(fleet.api + path, { headers })).text();
    const bare = await startBarePeer({ text });
    const pair = await interleave(
      rounds,
      () => timeOf(fleet.api + path, { headers }),
      () => timeOf(`http://127.0.0.1:${bare.ready.port}`, {}),
    );
    await bare.stop();
    findings.push({ label: `${name}, ${kind}`, beside: 'node:http, the same bytes', unit: 'ms', ...pair });
  }
  return findings;
}

const hash = promisify(argon2);
const hashOnce = () =>
  hash('argon2id', {
    message: 'password',
    nonce: randomBytes(16),
    parallelism: 1,
    tagLength: 32,
    memory: 19_456,
    passes: 2,
  });

/** A login beside the bare password hash. */
async function loginFinding(kind: string, fleet: Fleet): Promise<Finding> {
  const body = JSON.stringify({ username: fleet.email, password: fleet.password });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const pair = await interleave(
    rounds,
    () => timeOf(`${fleet.api}/api/auth/login`, init),
    async () => {
      const times: number[] = [];
      for (let time = 0; time < 20; time++) {
        const startMs = performance.now();
        await hashOnce();
        times.push(performance.now() - startMs);
      }
      return median(times);
    },
  );
  return { label: `login, ${kind}`, beside: 'the password hash alone', unit: 'ms', ...pair };
}

async function measure(kind: 'sqlite' | 'postgres'): Promise<Finding[]> {
  const peer: Peer = await startPeer('peers/operator.ts', [
    JSON.stringify({ kind, devices: 100_000, logs: 1_000_000 }),
  ]);
  // Written by that very script.
  const fleet = peer.ready as unknown as Fleet;
  const startup: Finding = {
    label: `start with this data, ${kind}`,
    beside: 'nothing',
    unit: 'ms',
    ours: [fleet.startupMs],
    theirs: [fleet.startupMs],
  };
  const findings = [...(await pageFindings(kind, fleet)), await loginFinding(kind, fleet), startup];
  await peer.end();
  return findings;
}

export const servicePages: Benchmark = async () => [...(await measure('sqlite')), ...(await measure('postgres'))];
