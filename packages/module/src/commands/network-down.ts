import type { Interface } from '@moorage/net';
import type { Reply } from '../interpreter/reply.ts';
import type { Board } from './board.ts';

/** Takes an interface down, then goes on. The notices of closed connections come before that of the lost link. */
export function takeDown(board: Board, wanted: Interface, then: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
  const finish = (): Reply | Promise<Reply> => {
    board.wlan.down(wanted);
    return then();
  };
  const connected = board.streams.list().length > 0;
  return connected ? board.streams.closeConnections(wanted).then(finish) : finish();
}
