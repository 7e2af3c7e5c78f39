import type { DataSink, Response } from '../interpreter/reply.ts';

/** Swallows announced data of a command that is refused, so that it is not read as the next command. */
export const discarding = (answer: () => Response): DataSink => ({
  write: () => {},
  end: answer,
  abort: () => {},
});
