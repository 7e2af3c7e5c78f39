import { cpus } from 'node:os';
import { commandRoundTrip } from './command-round-trip.ts';
import { dataSamples } from './data-samples.ts';
import { deviceLookup } from './device-lookup.ts';
import { doorDownload, doorPolls } from './doors.ts';
import { fileDownload } from './file-download.ts';
import { fileTransfer } from './file-transfer.ts';
import { fileUpload } from './file-upload.ts';
import { consoleLoad, firstStart } from './first-start.ts';
import { fleet } from './fleet.ts';
import { gateway } from './gateway.ts';
import { type Benchmark, report } from './harness.ts';
import { idleChannels } from './idle-channels.ts';
import { idleModules } from './idle-modules.ts';
import { idleNetwork } from './idle-network.ts';
import { operatorConsole } from './operator-console.ts';
import { otaQuery } from './ota-query.ts';
import { reconnectStorm } from './reconnect-storm.ts';
import { rehearse } from './rehearse.ts';
import { rescue } from './rescue.ts';
import { rollouts } from './rollouts.ts';
import { servicePages } from './service-pages.ts';
import { simulatedNetwork } from './simulated-network.ts';
import { streamCommands } from './stream-commands.ts';
import { streamMode } from './stream-mode.ts';
import { streamThroughput } from './stream-throughput.ts';
import { updateDownload } from './update-download.ts';
import { virtualDay } from './virtual-day.ts';
import { webServer } from './web-server.ts';

/** Every benchmark; `npm run bench -- NAME ...` runs those whose names contain a word given. */
const benchmarks: readonly Benchmark[] = [
  deviceLookup,
  otaQuery,
  doorPolls,
  doorDownload,
  rollouts,
  dataSamples,
  idleChannels,
  reconnectStorm,
  servicePages,
  operatorConsole,
  fileDownload,
  updateDownload,
  fileUpload,
  commandRoundTrip,
  fileTransfer,
  streamThroughput,
  streamCommands,
  streamMode,
  idleModules,
  idleNetwork,
  virtualDay,
  fleet,
  simulatedNetwork,
  rehearse,
  rescue,
  gateway,
  webServer,
  firstStart,
  consoleLoad,
];

const wanted = process.argv.slice(2);
console.log(
  `Node ${process.version}, ${cpus().length} processors. Each pair is measured in turns; ratios are medians of the rounds.`,
);
for (const benchmark of benchmarks) {
  if (wanted.length > 0 && !wanted.some((word) => benchmark.name.includes(word))) continue;
  console.log(`\n${benchmark.name}: ${benchmark.goal}`);
  for (const finding of await benchmark.run()) console.log(report(finding));
}
