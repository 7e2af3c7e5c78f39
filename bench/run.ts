import { cpus } from 'node:os';
import { commandRoundTrip } from './command-round-trip.ts';
import { dataSamples } from './data-samples.ts';
import { deviceLookup } from './device-lookup.ts';
import { fileDownload } from './file-download.ts';
import { fileTransfer } from './file-transfer.ts';
import { fileUpload } from './file-upload.ts';
import { consoleLoad, firstStart } from './first-start.ts';
import { type Bound, goals } from './goals.ts';
import { type Benchmark, type Finding, median } from './harness.ts';
import { idleChannels } from './idle-channels.ts';
import { idleModules } from './idle-modules.ts';
import { otaQuery } from './ota-query.ts';
import { servicePages } from './service-pages.ts';

/** Every benchmark; `npm run bench -- NAME ...` runs those whose names contain a word given. */
const benchmarks: Readonly<Record<string, Benchmark>> = {
  'ota-query': otaQuery,
  'device-lookup': deviceLookup,
  'data-samples': dataSamples,
  'service-pages': servicePages,
  'file-download': fileDownload,
  'file-upload': fileUpload,
  'idle-channels': idleChannels,
  'command-round-trip': commandRoundTrip,
  'file-transfer': fileTransfer,
  'idle-modules': idleModules,
  'first-start': firstStart,
  'console-load': consoleLoad,
};

const shown = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);

/** Whether a value is within its bound, beside the bound. */
function verdict(value: number, bound: Bound | undefined): string {
  if (!bound) return '';
  const [met, asked] =
    'atLeast' in bound
      ? [value >= bound.atLeast, `≥ ${shown(bound.atLeast)}`]
      : [value <= bound.atMost, `≤ ${shown(bound.atMost)}`];
  return met ? asked : `${asked} NOT MET`;
}

/** A row of the table: both sides, the ratio with its spread over the rounds, and what is asked. */
function row({ label, beside, unit, ours, theirs }: Finding): string {
  const goal = goals[label];
  if (!goal) throw new Error(`bench/goals.ts has no row "${label}"`);
  const ratios = ours.map((value, index) => value / (theirs[index] ?? Number.NaN));
  const figure = median(ours);
  const ratio = median(ratios);
  const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  const asked = [verdict(figure, goal.figure), verdict(ratio, goal.ratio)].join('');
  const both = `${shown(median(theirs))}, ${beside}`;
  return `| ${[label, `${shown(figure)} ${unit}`, both, `${ratio.toFixed(2)} (${spread})`, asked].join(' | ')} |`;
}

const wanted = process.argv.slice(2);
console.log(`Node ${process.version}, ${cpus().length} processors, each pair in turns, medians of the rounds\n`);
console.log('| measured | figure | beside | ratio (spread) | goal |\n|---|---|---|---|---|');
for (const [name, run] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
  for (const finding of await run()) console.log(row(finding));
}
