import { unwrap } from '@moorage/base';
import { parseScenario } from '@moorage/fleet';
import { runOnce } from '../../packages/moorage/src/rehearsal/run.ts';
import { residentBytes } from '../harness.ts';

// One rehearsal of so many twins, four stages and three days; says what it took, and ends with its input.
const [devices = '100'] = process.argv.slice(2);
const everyS = 6 * 3_600;
const scenario = unwrap(parseScenario(JSON.stringify({ groups: [{ name: 'fleet', share: 1, poll_s: everyS }] })));
const gate = { done_percent: 90, soak_s: 18 * 3_600 };
const settings = { stages: [{ percent: 1, gate }, { percent: 10, gate }, { percent: 50, gate }, {}] };
const plan = { scenario, version: '1.0.0.1', from: '1.0.0.0', pollS: everyS, days: 4 };
const startMs = performance.now();
const before = process.cpuUsage();
const run = await runOnce({ ...plan, rollout: { title: 'Bench', settings }, devices: Number(devices) }, '1', () => {});
const seconds = (performance.now() - startMs) / 1000;
const used = process.cpuUsage(before);
const cpuMs = (used.user + used.system) / 1000;
const { maxRSS } = process.resourceUsage();
const bytes = Math.max(maxRSS * 1024, await residentBytes(process.pid));
const { done, ended_s, load, state } = run;
console.log(JSON.stringify({ seconds, cpuMs, bytes, state, done, days: ended_s / 86_400, polls: load.polls }));

process.stdin.resume().once('end', () => process.exit(0));
