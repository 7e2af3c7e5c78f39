import { sortTokens } from './arguments.ts';
import type { Command } from './command.ts';
import { codes, discarding, needBytes, type Reply } from './reply.ts';
import type { Token } from './tokeniser.ts';

/** Most bytes that a line may announce; a larger number is no count of data that anyone sends. */
const maxAnnouncedBytes = 128 * 1024 * 1024;

/**
 * How many bytes of data the host means to send behind a line, read before the line is judged; `undefined` when the
 * command takes none or its count cannot be read. An argument too many in front of it does not hide it.
 */
export function announcedBytes<Board>(command: Command<Board>, tokens: readonly Token[]): number | undefined {
  if (!command.announces) return undefined;
  const { positionals, switches, given } = sortTokens(command, tokens);
  // A command without options takes such a word for an argument.
  const words = positionals.filter(({ text, quoted }) => quoted || !/^-[A-Za-z]/.test(text)).map(({ text }) => text);
  const counts = command.announces({ words, switches, given });
  const count = counts?.find((word) => word !== undefined && /^\d{1,15}$/.test(word));
  return count !== undefined && Number(count) <= maxAnnouncedBytes ? Number(count) : undefined;
}

/**
 * A refusal comes when the data that was announced has been taken: what was meant as data is never run as commands.
 * Spec: MOD-LINE-data.
 */
export function behindData<R extends Reply>(reply: R, announced: number | undefined): Reply {
  if (!announced || reply.kind !== 'response' || reply.code === codes.SUCCESS || reply.leavesData) return reply;
  return needBytes(
    announced,
    discarding(() => reply),
  );
}
