import { ddiExecutions, menderStatuses } from '@moorage/api';
import { describe, expect, it } from 'vitest';
import { resultWords } from '../../core/ota/verdicts.ts';
import { ddiWords, failureOf, judgeFeedback, menderWords } from './words.ts';

describe('what a feedback of DDI means', () => {
  it.each([
    ['closed', 'success', ['Update Installed.'], 'offered', { trigger: 'confirm', closes: true }],
    ['closed', 'none', undefined, 'installed', { trigger: 'confirm', closes: true }],
    ['closed', 'success', ['Skipped Update.'], 'offered', { trigger: undefined, closes: true }],
    ['closed', 'success', ['Skipped Update.'], 'downloading', { trigger: 'confirm', closes: true }],
    ['closed', 'failure', ['one', 'two', ' '], 'offered', { trigger: 'fail', closes: true }],
    ['closed', 'failure', null, 'offered', { trigger: 'fail', closes: true }],
    [
      'canceled',
      'none',
      [],
      'offered',
      { trigger: 'fail', reason: 'The client has cancelled the update', kind: 'refused', closes: true },
    ],
    ['proceeding', 'none', ['All Chunks Installed.'], 'downloading', { trigger: 'install', closes: false }],
    ['proceeding', 'none', ['Installed Chunk.'], 'downloading', { trigger: undefined, closes: false }],
    ['download', 'none', [], 'offered', { trigger: 'fetch', closes: false }],
    ['downloaded', 'success', [], 'downloading', { trigger: undefined, closes: false }],
    ['rejected', 'success', [], 'downloading', { trigger: undefined, closes: false }],
    ['scheduled', 'none', [], 'offered', { trigger: undefined, closes: false }],
    ['resumed', 'none', [], 'offered', { trigger: undefined, closes: false }],
  ] as const)('%s with %s and %j while %s', (execution, finished, details, state, judged) => {
    const status = {
      execution,
      result: { finished },
      ...(details !== undefined && { details: details && [...details] }),
    };
    expect(judgeFeedback({ status }, state)).toEqual(judged);
  });

  it('is said of every execution and status that clients can send', () => {
    expect(new Set(ddiWords.map(({ says }) => says.execution))).toEqual(new Set(ddiExecutions));
    expect(menderWords.map(({ says }) => says).toSorted()).toEqual(menderStatuses.toSorted());
    expect(resultWords.every(({ trigger, reason }) => trigger === 'fail' && reason !== undefined)).toBe(true);
  });
});

type Events = readonly (readonly [step: string, ...lines: string[]])[];

const started: Events = [
  ['proceeding', 'Installing Update Chunk Artifacts.'],
  ['proceeding', 'ERROR : Cannot read stored update state.'],
  ['proceeding', 'Software Update started !', '[extract_file_to_tmp] : Found file'],
];
const fetched: Events = [
  ['proceeding', 'Download complete. 1.00 MB/s'],
  ['proceeding', 'File checksum OK.'],
];

/** Events in the order in which clients were recorded, what they say as they fail, why that is and of which kind. */
const failures: readonly [who: string, before: Events, last: readonly string[], reason: string, kind: string][] = [
  [
    'SWUpdate cannot fetch the image',
    [
      ...started,
      ['proceeding', '[install_raw_file] : Installing file payload.bin on /dev/mmcblk0p2'],
      [
        'proceeding',
        'ERROR : Channel get operation failed (35):  SSL connect error ',
        'ERROR : Channel get operation failed (7)',
        'ERROR : Error while sending log to server.',
      ],
    ],
    ['No suitable .swu image found'],
    'Channel get operation failed (35):  SSL connect error ',
    'download',
  ],
  [
    'SWUpdate does not know the signer',
    [
      ...started,
      ['proceeding', 'ERROR : Authentication of all signatures failed', 'ERROR : Compatible SW not found'],
      ['proceeding', 'Image invalid or corrupted. Not installing ...'],
    ],
    ['No suitable .swu image found'],
    'Authentication of all signatures failed',
    'check',
  ],
  [
    'SWUpdate does not know the signer, with a line of another process between',
    [
      ...started,
      [
        'proceeding',
        'ERROR : Authentication of all signatures failed',
        '[channel_log_effective_url] : another process',
        'ERROR : Compatible SW not found',
      ],
      ['proceeding', 'Image invalid or corrupted. Not installing ...'],
    ],
    ['No suitable .swu image found'],
    'Authentication of all signatures failed',
    'check',
  ],
  [
    'SWUpdate has got other bytes after a cut',
    [...started, ['proceeding', 'ERROR : Channel get operation failed (18)', '[channel_get_file] : resumed']],
    ['ERROR : HASH mismatch : 1a <--> 8f', 'No suitable .swu image found'],
    'HASH mismatch : 1a <--> 8f',
    'check',
  ],
  [
    'SWUpdate runs a script that fails',
    [...started, ['proceeding', 'ERROR : execute preinstall scripts failed', 'Installation failed !']],
    ['No suitable .swu image found'],
    'execute preinstall scripts failed',
    'install',
  ],
  [
    'SWUpdate fails for the second time, with nothing marked',
    [...started, ['proceeding', 'ERROR : HASH mismatch : 1a <--> 8f'], ...started],
    ['No suitable .swu image found'],
    'No suitable .swu image found',
    'download',
  ],
  [
    'SWUpdate finds out after its restart',
    [...started, ['proceeding', 'Installed Chunk.'], ['proceeding', 'All Chunks Installed.']],
    ['Update Failed.'],
    'Update Failed.',
    'install',
  ],
  [
    'the RAUC updater cannot fetch the bundle',
    [],
    ['Download failed: Timeout was reached'],
    'Download failed: Timeout was reached',
    'download',
  ],
  [
    'the RAUC updater has got other bytes',
    [['proceeding', 'Download complete. 1.00 MB/s']],
    ['Software: light V1. Invalid checksum: 1a expected 8f'],
    'Software: light V1. Invalid checksum: 1a expected 8f',
    'check',
  ],
  [
    'RAUC cannot install the bundle',
    [
      ...fetched,
      ['proceeding', 'installing'],
      ['proceeding', ' 40% Checking bundle'],
      ['proceeding', 'LastError: no mount'],
      ['proceeding', 'idle'],
    ],
    ['Failed to install software bundle.'],
    'no mount',
    'install',
  ],
  ['another client has fetched all', [['downloaded', 'all is here']], ['no'], 'no', 'install'],
  ['another client says nothing', [], [], 'The client reports a failure', 'download'],
  [
    'Mender cannot fetch the artifact',
    [['downloading', 'downloading']],
    [],
    'The client reports a failure',
    'download',
  ],
  [
    'Mender cannot install it, and its log comes later',
    [
      ['downloading', 'downloading'],
      ['installing', 'installing'],
      ['failure', 'failure'],
      ['log', 'info: begin', 'error: Update module failed', 'error: exit status 1', 'info: rolled back'],
    ],
    [],
    'Update module failed',
    'install',
  ],
  [
    'Mender comes back with the old system',
    [
      ['downloading', 'downloading'],
      ['installing', 'installing'],
      ['rebooting', 'rebooting'],
    ],
    ['ArtifactCommit_Enter'],
    'ArtifactCommit_Enter',
    'install',
  ],
  [
    'Mender begins again',
    [
      ['installing', 'installing'],
      ['downloading', 'downloading'],
    ],
    [],
    'The client reports a failure',
    'download',
  ],
];

it.each(failures)('%s: the reason and the kind of its failure', (_, before, last, reason, kind) => {
  const said = before.flatMap(([step, ...lines]) => lines.map((text) => ({ step, text })));
  expect(failureOf(said, last, 'downloading')).toEqual({ reason, kind });
});

it('what fails after it was installed has failed at the installation, and a reason has up to 500 characters', () => {
  expect(failureOf([{ step: 'downloading', text: 'downloading' }], ['x'.repeat(600)], 'installed')).toEqual({
    reason: 'x'.repeat(500),
    kind: 'install',
  });
});
