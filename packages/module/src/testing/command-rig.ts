import { unwrap } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import type { Board } from '../commands/board.ts';
import { registryOf } from '../commands/registry.ts';
import type { FactoryFile } from '../device/flash.ts';
import { defaultFlashLayout } from '../device/flash.ts';
import { Flash } from '../device/flash-files.ts';
import { StreamTable } from '../device/streams.ts';
import { execute } from '../interpreter/execute.ts';
import { CommandQueue } from '../interpreter/queue.ts';
import { radioRig, testMac, testUuid } from './radio-rig.ts';

/** The flash of the published listings, in small. Reference: flash 2.2. */
const rigFiles: readonly FactoryFile[] = [
  { name: 'wifi_fw.bin', area: 'e', type: 0x01, flags: 0x08, version: [5, 26, 230, 12], content: new Uint8Array(9000) },
  { name: 'main_app.exe', area: 'i', type: 0x81, flags: 0x1a, version: [2, 2, 0, 12], content: Buffer.from('main') },
  { name: 'ca_default.pem', area: 'e', type: 0x03, flags: 0, version: [2, 0, 0, 11], content: new Uint8Array(1236) },
];

/** The parts of a board that file and stream commands use, with a way to run command lines and see what they say. */
export async function commandRig(layout = defaultFlashLayout) {
  const { clock, variables, log, printed, personality } = radioRig();
  const flash = await Flash.open(new MemoryStore(), layout, rigFiles);
  const streams = new StreamTable({
    autoClose: () => variables.get('stream.auto_close'),
    notices: {
      opened: (handle) => log.notice('stream_opened', { handle }),
      closing: (handle) => log.say('closing', { handle }),
      closed: (handle) => log.notice('stream_closed', { handle }),
    },
  });
  const parts = {
    clock,
    variables,
    log,
    personality,
    flash,
    streams,
    queue: new CommandQueue(),
    registry: unwrap(registryOf(personality)),
    identity: { mac: testMac, uuid: testUuid },
  };
  // The commands under test use these parts of a board and no others.
  const board = parts as unknown as Board;

  /** Runs a command line; the answer is its log lines, its code and its text, as in `Closing: 0|[Closed: 0]|0 Success`. */
  const run = async (line: string, data?: string | Uint8Array): Promise<string> => {
    printed.length = 0;
    const { code, text } = await execute(board, line, typeof data === 'string' ? Buffer.from(data) : data);
    return [...printed, `${code} ${text}`].join('|');
  };
  return { ...parts, board, printed, run };
}
