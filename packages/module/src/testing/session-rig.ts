import { VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import type { Board } from '../commands/board.ts';
import { registryOf } from '../commands/registry.ts';
import { commandDefiner } from '../interpreter/command.ts';
import type { Habits } from '../interpreter/habits.ts';
import { Registry } from '../interpreter/registry.ts';
import { codes, fail, lines, needBytes, ok, silence } from '../interpreter/reply.ts';
import { Session } from '../interpreter/session.ts';
import { createModule, type Module } from '../module.ts';
import { neutralPersonality } from '../personality/personality.ts';

const define = commandDefiner<Board>();
const common = { group: 'test', spec: 'TEST', evidence: 'proposed', summary: '' } as const;

/** Commands that do one thing each, besides those of the module. */
function plainCommands(gate: PromiseWithResolvers<void>, events: string[]) {
  return [
    define({ ...common, name: 'slow', shortcut: 'slow', run: () => gate.promise.then(() => ok('slow done')) }),
    define({ ...common, name: 'bounds', shortcut: 'bounds', run: () => fail(codes.BOUNDS) }),
    define({ ...common, name: 'quiet', shortcut: 'quiet', run: () => silence }),
    define({
      ...common,
      name: 'says',
      shortcut: 'says',
      run: (board) => {
        board.log.line('why');
        return fail(codes.FAILED);
      },
    }),
    define({ ...common, name: 'table', shortcut: 'table', run: () => lines(['a', 'b']) }),
    define({ ...common, name: 'big', shortcut: 'big', run: () => ok(Buffer.alloc(30_000, 'x')) }),
    define({
      ...common,
      name: 'throws',
      shortcut: 'throws',
      run: () => {
        throw new Error('thrown');
      },
    }),
    define({ ...common, name: 'rejects', shortcut: 'reject', run: () => Promise.reject(new Error('rejected')) }),
    define({
      ...common,
      name: 'later',
      shortcut: 'later',
      run: () => ({ ...ok('first'), after: () => gate.promise.then(() => void events.push('after')) }),
    }),
    define({
      ...common,
      name: 'asks',
      shortcut: 'asks',
      run: async (_board, _values, session) => ok(`got ${JSON.stringify((await session.ask('Name: ')) ?? null)}`),
    }),
    define({
      ...common,
      name: 'rude',
      shortcut: 'rude',
      run: (_board, _values, session) => {
        void session.ask('Name: ');
        return ok('left');
      },
    }),
  ];
}

/** Commands that take four bytes of data, and what may go wrong with them. */
function dataCommands(gate: PromiseWithResolvers<void>, events: string[]) {
  const sink = (over: object) =>
    needBytes(4, {
      write: (chunk) => void events.push(`write ${Buffer.from(chunk)}`),
      end: () => ok('taken'),
      abort: () => void events.push('abort'),
      ...over,
    });
  const taking = { ...common, announces: () => ['4'] };
  return [
    define({ ...taking, name: 'data', shortcut: 'data', run: () => sink({}) }),
    define({
      ...common,
      announces: () => ['0'],
      name: 'nodata',
      shortcut: 'nodata',
      run: () => needBytes(0, { write: () => {}, end: () => ok('none'), abort: () => {} }),
    }),
    define({ ...taking, name: 'slowdata', shortcut: 'slowd', run: () => sink({ write: () => gate.promise }) }),
    define({
      ...taking,
      name: 'baddata',
      shortcut: 'badd',
      run: () =>
        sink({
          write: () => {
            throw new Error('sink');
          },
        }),
    }),
    define({
      ...taking,
      name: 'badend',
      shortcut: 'bade',
      run: () => sink({ end: () => Promise.reject(new Error('end')) }),
    }),
  ];
}

interface RigOptions {
  readonly machine?: boolean;
  readonly habits?: Partial<Habits>;
  /** What `write` answers: false is a reader that is slow. */
  readonly takes?: () => boolean;
}

/** A session over nothing, on a module of its own; its input and output are kept. */
export async function sessionRig({ machine = true, habits = {}, takes = () => true }: RigOptions = {}) {
  const clock = new VirtualClock();
  const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
  const personality = { ...neutralPersonality, habits: { ...neutralPersonality.habits, ...habits } };
  const module: Module = await createModule({ clock, store: new MemoryStore(), net, seed: 1, personality });
  if (machine) await module.execute('set system.cmd.mode machine');
  const gate = Promise.withResolvers<void>();
  const events: string[] = [];
  const writes: string[] = [];
  const mistakes: unknown[] = [];
  const built = registryOf(neutralPersonality);
  if (!built.ok) throw new Error(built.error);
  const registry = new Registry<Board>([
    ...built.value.commands,
    ...plainCommands(gate, events),
    ...dataCommands(gate, events),
  ]);
  const connect = () =>
    new Session<Board>({
      board: module,
      registry,
      origin: 'serial',
      write(bytes) {
        writes.push(Buffer.from(bytes).toString('latin1'));
        return takes();
      },
      ready: () => events.push('ready'),
      ended: () => events.push('ended'),
      onMistake: (error) => mistakes.push(error),
    });
  const session = connect();
  const send = (text: string): boolean => session.receive(Buffer.from(text, 'latin1'));
  /** What has been printed since the last time. */
  const printed = (): string => writes.splice(0).join('');
  const settle = (): Promise<void> => clock.advance(0);
  return { module, clock, session, connect, send, writes, printed, events, gate, mistakes, settle };
}
