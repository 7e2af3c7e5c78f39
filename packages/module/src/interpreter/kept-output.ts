import type { SessionBoard } from './board-port.ts';
import { payloadBytes } from './framing.ts';
import { codes, fail, ok, type Response } from './reply.ts';

/**
 * With `system.cmd.buffered` on, puts the text of a table or list into a CMD stream and answers `<handle>,<bytes>`
 * instead; everything else goes out as it is. Fails when no handle is free.
 * Spec: MOD-VAR-system.cmd.buffered, MOD-LINE-buffered.
 */
export function keepIfBuffered(board: SessionBoard, line: string, response: Response): Response {
  if (!response.multiline || response.code !== codes.SUCCESS) return response;
  if (!board.variables.get('system.cmd.buffered')) return response;
  let bytes = payloadBytes(response);
  const opened = board.streams.open({
    type: 'CMD',
    info: () => line,
    available: () => bytes.length,
    remoteClosed: false,
    read(max) {
      const taken = bytes.subarray(0, max);
      bytes = bytes.subarray(max);
      return taken;
    },
    close() {
      bytes = new Uint8Array();
    },
  });
  if (opened.ok) return ok(`${opened.value},${bytes.length}`);
  board.log.say('noFreeStream');
  return fail(codes.FAILED);
}
