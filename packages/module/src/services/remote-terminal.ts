import { createHash, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { CancelTimer } from '@moorage/base';
import type { Connection } from '@moorage/net';
import { telnetStream } from '@moorage/net/telnet/telnet-stream';
import type { Bus } from '../bus/bus.ts';
import type { NetworkService, RunningService, ServiceParts } from './service.ts';

export interface TerminalParts
  extends Pick<ServiceParts, 'clock' | 'log' | 'net' | 'personality' | 'variables' | 'wlan'> {
  readonly bus: Bus;
  /** The recovery program runs. */
  readonly safeMode: boolean;
  /** Runs a session of the command line over a stream. */
  attachTerminal(stream: Duplex, origin: 'terminal' | 'terminal-login'): { readonly isBusy: boolean };
}

/** Wrong passwords until a client is sent away. */
const maxPasswords = 3;

/** Longest password that is read, in bytes. */
const maxPasswordBytes = 256;

/** How long a client that is sent away may take to read what waits for it, in ms. */
const lingerMs = 1_000;

/** Clients that are sent away at a time; a further one cuts off the oldest. */
export const maxRefused = 16;

/** A client that has the terminal, from its connection to its end. */
interface Client {
  /** It has sent its end, or its connection has failed: what its commands still answer is for no one. */
  readonly hasEnded: boolean;
  /** Gives the terminal up at once and hangs up; a command that runs goes on. */
  close(): void;
}

/** The command line over TCP, for one client at a time. Spec: MOD-NET-terminal, MOD-VAR-remote_terminal.*. */
export const remoteTerminal: NetworkService<TerminalParts> = {
  name: 'remote terminal',
  spec: 'MOD-NET-terminal',
  wanted({ variables, wlan }) {
    if (!variables.get('remote_terminal.enabled')) return [];
    const named = variables.get('remote_terminal.interface');
    return [wlan.interfaceOf(named === 'default' ? undefined : named)];
  },
  async start(parts): Promise<RunningService | undefined> {
    let client: Client | undefined;
    const refused = new Set<Duplex>();
    const port = parts.variables.get('remote_terminal.port');
    const accept = ({ stream }: Connection): void => {
      // Spec: MOD-NET-terminal-one. A client that has gone is not in the way of the one that comes back.
      if (client?.hasEnded) client.close();
      if (client) {
        refuse(parts, stream, refused);
        return;
      }
      const own = serve(parts, stream, () => {
        if (client === own) client = undefined;
      });
      client = own;
    };
    const listening = await parts.net.listen(port, accept, { inOrder: true });
    if (!listening.ok) {
      parts.log.say('terminalFailed', { port });
      return undefined;
    }
    return {
      async stop() {
        client?.close();
        for (const stream of refused) stream.destroy();
        await listening.value.close();
      },
    };
  },
};

/** The one who is there stays. Spec: MOD-NET-terminal-one. */
function refuse(parts: TerminalParts, stream: Duplex, refused: Set<Duplex>): void {
  const [oldest] = refused;
  if (refused.size >= maxRefused) oldest?.destroy();
  refused.add(stream);
  stream.on('error', () => stream.destroy());
  stream.on('close', () => refused.delete(stream));
  // What it sends is of no interest, but the end of it is awaited: a reset might overtake the line.
  stream.resume();
  stream.end(`${parts.personality.text('terminalInUse')}\r\n`);
  destroyLater(parts, stream);
}

/** Sends what waits and hangs up. */
function hangUp(parts: TerminalParts, stream: Duplex): void {
  stream.end(() => stream.destroy());
  destroyLater(parts, stream);
}

function destroyLater(parts: TerminalParts, stream: Duplex): void {
  const cancel = parts.clock.after(lingerMs, () => stream.destroy());
  stream.on('close', cancel);
}

function serve(parts: TerminalParts, connection: Duplex, gone: () => void): Client {
  const idle = watchIdle(parts, {
    busy: () => stream.isPaused() || session?.isBusy === true,
    expired: () => hangUp(parts, stream),
  });
  // Spec: MOD-NET-telnet. Negotiation is taken out and not answered.
  const stream = telnetStream(connection, { onEvent: () => {}, active: idle.active, maybeRaw: true });
  let session: { readonly isBusy: boolean } | undefined;
  let loggedIn = false;
  let hasEnded = false;
  const leave = (): void => {
    idle.stop();
    if (loggedIn) parts.bus.terminal(false);
    loggedIn = false;
    gone();
  };
  // The stream ends only when all of it has been read, which waits for the command that runs.
  for (const sign of ['end', 'error', 'close'])
    connection.on(sign, () => {
      hasEnded = true;
    });
  stream.on('error', () => stream.destroy());
  stream.on('close', leave);
  logIn(parts, stream, (origin) => {
    loggedIn = true;
    parts.bus.terminal(true);
    const { personality, safeMode, variables } = parts;
    if (variables.get('system.cmd.prompt_enabled')) {
      stream.write(personality.text(safeMode ? 'safeModePrompt' : 'prompt'));
    }
    session = parts.attachTerminal(stream, origin);
  });
  return {
    get hasEnded() {
      return hasEnded;
    },
    close() {
      leave();
      hangUp(parts, stream);
    },
  };
}

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest();

/** Asks for the password until it is right or has been wrong too often. Spec: MOD-VAR-remote_terminal.password. */
function logIn(parts: TerminalParts, stream: Duplex, done: (origin: 'terminal' | 'terminal-login') => void): void {
  const password = parts.variables.get('remote_terminal.password');
  if (password === '') {
    done('terminal');
    return;
  }
  let typed = '';
  let wrong = 0;
  const ask = (): void => void stream.write(parts.personality.text('askTerminalPassword'));
  /** Takes a line; true when there is nothing more to ask. */
  const check = (): boolean => {
    // The comparison takes the same time for every password.
    const right = timingSafeEqual(digest(Buffer.from(typed, 'latin1').toString('utf8')), digest(password));
    typed = '';
    stream.write('\r\n');
    if (right) return true;
    wrong++;
    if (wrong < maxPasswords) ask();
    return wrong >= maxPasswords;
  };
  let afterCr = false;
  const read = (bytes: Buffer): void => {
    for (const [at, byte] of bytes.entries()) {
      const character = String.fromCharCode(byte);
      const second = afterCr && (character === '\n' || character === '\0');
      afterCr = character === '\r';
      if (second || character === '\0') continue;
      if (character !== '\r' && character !== '\n') {
        typed = (typed + character).slice(0, maxPasswordBytes);
      } else if (check()) {
        stream.off('data', read).off('end', end);
        stream.pause();
        if (wrong >= maxPasswords) {
          hangUp(parts, stream);
          return;
        }
        const rest = bytes.subarray(afterCr && bytes[at + 1] === 0x0a ? at + 2 : at + 1);
        done('terminal-login');
        if (rest.length > 0) stream.unshift(rest);
        stream.resume();
        return;
      }
    }
  };
  stream.on('data', read);
  // Nothing more will be typed: there is no session yet that would end with its input.
  const end = (): void => hangUp(parts, stream);
  stream.on('end', end);
  ask();
}

/**
 * Calls `expire` when nothing has come from the client for `remote_terminal.timeout`; a command that runs is waited for.
 * Spec: MOD-VAR-remote_terminal.timeout.
 */
function watchIdle(parts: TerminalParts, { busy, expired }: { busy(): boolean; expired(): void }) {
  const { clock, variables } = parts;
  let lastMs = clock.monotonic();
  let cancel: CancelTimer = () => {};
  const plan = (): void => {
    cancel();
    const timeoutMs = variables.get('remote_terminal.timeout') * 1000;
    if (timeoutMs === 0) return;
    cancel = clock.after(Math.max(0, lastMs + timeoutMs - clock.monotonic()), () => {
      // Bytes do not move the timer: it looks when it runs.
      if (busy()) lastMs = clock.monotonic();
      if (clock.monotonic() - lastMs < timeoutMs) plan();
      else expired();
    });
  };
  const unwatch = variables.onChange('remote_terminal.timeout', plan);
  plan();
  return {
    active: (): void => {
      lastMs = clock.monotonic();
    },
    stop: (): void => {
      cancel();
      unwatch();
    },
  };
}
