/** The files of the example bundle and firmware: small, real, and made here, so that nothing has to be shipped. */

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tide gauge</title>
<style>body { font: 1rem/1.5 system-ui; margin: 2rem auto; max-width: 40rem; padding: 0 1rem }</style>
<h1>Tide gauge</h1>
<p>This page came over the air, with a year of tides in <a href="tides.csv">tides.csv</a>.</p>
</html>
`;

const setupScript = `# Run by: setup default_setup.script
set mdns.name tide-gauge-#
set wlan.auto_join.enabled 1
save
`;

/** Periods in hours, amplitudes in metres and phases in radians of the main tidal constituents of a made-up harbour. */
const constituents = [
  { periodH: 12.4206, amplitudeM: 1.72, phase: 0.4 },
  { periodH: 12, amplitudeM: 0.61, phase: 1.1 },
  { periodH: 12.6583, amplitudeM: 0.34, phase: 2.7 },
  { periodH: 23.9345, amplitudeM: 0.09, phase: 0.2 },
  { periodH: 25.8193, amplitudeM: 0.07, phase: 5.1 },
] as const;

/** Water level in metres for each half hour of a year: about 200 KB of text. */
function tideTable(): string {
  const rows = ['hour,level_m'];
  for (let hour = 0; hour < 366 * 24; hour += 0.5) {
    const level = constituents.reduce(
      (sum, tide) => sum + tide.amplitudeM * Math.cos((2 * Math.PI * hour) / tide.periodH + tide.phase),
      3.1,
    );
    rows.push(`${hour.toFixed(1)},${level.toFixed(3)}`);
  }
  return `${rows.join('\n')}\n`;
}

/** A file as the service takes it for bundles and firmware. */
interface ExampleFile {
  readonly filename: string;
  readonly type: string;
  readonly version: string;
  readonly mime: string;
  readonly base64: string;
}

const file = (filename: string, type: string, version: string, mime: string, content: string): ExampleFile => ({
  filename,
  type,
  version,
  mime,
  base64: Buffer.from(content).toString('base64'),
});

/** A stand-in for the executables of real hardware: a virtual module has no use for their code, only for the files. */
const executable = (name: string, version: string): string =>
  `Stand-in for ${name} ${version}: a virtual module keeps this file and runs its own code.\n`.repeat(400);

/** The files of the example firmware. */
export const firmwareFiles = (version: string): readonly ExampleFile[] => [
  file('main_app.exe', 'REGULAR_APP', version, 'application/octet-stream', executable('main_app.exe', version)),
];

/** The resources of the example bundle; the tide table is over 100 KiB. */
export const bundleFiles = (version: string): readonly ExampleFile[] => [
  file('webapp/index.html', 'MISC_FIX_LEN', version, 'text/html', page),
  file('webapp/tides.csv', 'MISC_FIX_LEN', version, 'text/csv', tideTable()),
  file('default_setup.script', 'FD', version, 'text/plain', setupScript),
];
