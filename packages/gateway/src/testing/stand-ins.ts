import { type Clock, crc16, formatCrc16, seededRandom } from '@moorage/base';

/** What a made-up module of another generation does otherwise than ours. */
export interface StandInTraits {
  /** The answer of `help commands`: with shortcuts, a bare list, or several to a line. */
  readonly commands: 'shortcuts' | 'bare' | 'wide';
  /** The answer of `help variables`; there need be no such list, and it need not end. */
  readonly variables: 'named' | 'none' | 'endless';
  /** What stands between name and value in `get all`. */
  readonly between: ': ' | ' = ';
  /** The columns of `ls -v`. */
  readonly columns: 'known' | 'other';
  /** The answer of `file_stat`: with CRC, in another form, or no such command. */
  readonly stat: 'crc' | 'words' | 'none';
  /** How long an answer takes, in ms: from, to. The echo comes at once. */
  readonly delayMs: readonly [from: number, to: number];
  /** How often it says something that nobody has asked for, in ms; 0 for never. */
  readonly chatterMs: number;
  /** Names, sizes and answers meant to harm. */
  readonly isHostile: boolean;
}

const plain: StandInTraits = {
  commands: 'shortcuts',
  variables: 'named',
  between: ': ',
  columns: 'known',
  stat: 'crc',
  delayMs: [0, 0],
  chatterMs: 0,
  isHostile: false,
};

/** Modules that nobody has seen: a row each. */
export const standIns = {
  bare: { ...plain, commands: 'bare', variables: 'none', stat: 'none' },
  columns: { ...plain, commands: 'wide', columns: 'other', stat: 'words', between: ' = ' },
  slow: { ...plain, delayMs: [0, 5_000], variables: 'none' },
  chatty: { ...plain, delayMs: [100, 900], chatterMs: 350, variables: 'none' },
  hostile: { ...plain, isHostile: true, variables: 'endless' },
} as const satisfies Readonly<Record<string, StandInTraits>>;
export type StandInKind = keyof typeof standIns;
export const standInKinds = Object.keys(standIns) as StandInKind[];

/** Passwords and keys that no archive may have without being asked to, in no spelling. */
export const planted: readonly [string, string, string, string, string, string] = [
  'moorings-77',
  'Zx9!pier"quay',
  'tok-5c1f8e',
  'pilot4711',
  'harbour-psk-1',
  'berth-key-42',
];

const variables: Readonly<Record<string, string>> = {
  'broadcast.udp.enabled': '1',
  'http.server.enabled': '1',
  'system.cmd.format': 'human',
  'system.uuid': '4D4F4F520102030405060708090A0B0C0D0E0F10',
  'system.uptime': '86400',
  'wlan.ssid': 'harbour',
  'wlan.mac': '4C:55:CC:10:00:2A',
  'wlan.passkey': planted[0],
  'wlan.network.ip': '192.0.2.42',
  'ap.wpa_psk': planted[4],
  'cloud.apiToken': planted[2],
  'door.PIN': planted[3],
  'mail.smtp-pass': planted[1],
  'sign.privKey': planted[5],
  // A password that stands where no name says so.
  'user.note': `call the pier, the word is ${planted[0]}`,
};

const page = '<h1>charger</h1>\r\n> '.repeat(90);

const files: Readonly<Record<string, string>> = {
  'webapp/index.html': page,
  'config.json': `{"amps":32,"wifi_password":"${planted[4]}"}`,
  'join.script': `set wlan.passkey ${planted[0]}\r\nsave\r\n`,
  'site.ini': `name=quay\r\naccess_token = ${planted[2]}\r\n`,
  'bytes.bin': String.fromCharCode(...Array.from({ length: 600 }, (_, at) => at % 256)),
};

const hostileFiles: Readonly<Record<string, string>> = {
  '../../escaped.txt': 'out',
  '/etc/motd': 'root',
  '..': 'dots',
  'bell\u0007\u001b[2J.txt': 'codes',
  'growing.log': 'grows',
};

/** Largest size that a hostile list names, in bytes: more than any flash. */
const hugeBytes = 5_000_000_000;

const shortcuts: Readonly<Record<string, string>> = {
  fcr: 'file_create',
  fde: 'file_delete',
  fop: 'file_open',
  fst: 'file_stat',
  ver: 'version',
};
const commandNames =
  'file_create file_delete file_open file_stat get help load ls reboot save set stream_close stream_list stream_read stream_write version'.split(
    ' ',
  );

/** An answer, or how many bytes of data it waits for. */
interface Said {
  readonly code: number;
  readonly text: string;
  readonly needs?: number;
  readonly take?: (data: Buffer) => Said;
}

const ok = (text = 'Success'): Said => ({ code: 0, text });
const no = (text = 'Command failed', code = 1): Said => ({ code, text });

/** A made-up module: its files, variables and what it answers. It knows nothing of the gateway. */
export class StandIn {
  readonly traits: StandInTraits;
  readonly version = 'EXAMPLE-GA_1_1-1.4.0.28, 2021-04-27T20:39:50Z, OS-WZ-3.6.4.0';
  readonly files = new Map<string, Buffer>();
  readonly variables = new Map<string, string>(Object.entries<string>(variables));
  saved = new Map(this.variables);
  /** Lines that write, in their order. */
  readonly writes: string[] = [];
  readonly #streams = new Map<number, { readonly name: string; at: number; readonly wants?: number; got: Buffer[] }>();
  readonly #random = seededRandom(7);

  constructor(traits: StandInTraits) {
    this.traits = traits;
    const held = { ...files, ...(traits.isHostile && hostileFiles) };
    for (const [name, content] of Object.entries(held)) this.files.set(name, Buffer.from(content, 'latin1'));
  }

  /** Streams that have not been given back. */
  get openStreams(): number {
    return this.#streams.size;
  }

  nextDelayMs(): number {
    const [from, to] = this.traits.delayMs;
    return from + this.#random.below(to - from + 1);
  }

  run(line: string): Said {
    const [word = '', ...args] = (line.match(/"[^"]*"|\S+/g) ?? []).map((part) => part.replace(/^"|"$/g, ''));
    const command = shortcuts[word] ?? word;
    if (/^(set|save|load|reboot|file_create|file_delete|stream_write)$/.test(command)) this.writes.push(line);
    if (!commandNames.includes(command)) return no('Unknown command', 2);
    return this.#commands[command]?.(args) ?? no();
  }

  readonly #commands: Readonly<Record<string, (args: readonly string[]) => Said>> = {
    version: () => ok(this.version),
    help: ([what]) => this.#help(what),
    get: ([name = '']) => (name === 'all' ? ok(this.#settings()) : this.#one(name)),
    set: ([name = '', ...value]) => {
      if (!this.variables.has(name)) return no('Unknown variable', 5);
      this.variables.set(name, value.join(' '));
      return ok('Set OK');
    },
    save: () => {
      this.saved = new Map(this.variables);
      return ok();
    },
    load: () => {
      for (const [name, value] of this.saved) this.variables.set(name, value);
      return ok();
    },
    reboot: () => ok('Rebooting'),
    ls: () => ok(this.#listing()),
    file_stat: ([name = '']) => this.#stat(name),
    file_delete: ([name = '']) => (this.files.delete(name) ? ok() : no('File not found')),
    file_open: ([name = '']) => (this.files.has(name) ? this.#open({ name, at: 0, got: [] }) : no('File not found')),
    file_create: (args) => this.#create(args),
    stream_read: ([handle, count]) => this.#read(Number(handle), Number(count)),
    stream_write: ([handle, count]) => this.#write(Number(handle), Number(count)),
    stream_close: ([handle]) => (this.#streams.delete(Number(handle)) ? ok() : no('Invalid handle')),
    stream_list: () =>
      ok(['! # Type  Info', ...[...this.#streams].map(([at, { name }]) => `# ${at} FILE  ${name}`)].join('\r\n')),
  };

  #help(what = ''): Said {
    const { commands, variables: form } = this.traits;
    if (what === 'variables' && form === 'none') return no('Invalid args', 3);
    if (what === 'variables') return ok([...this.variables.keys()].map((name) => `RW ${name} : `).join('\r\n'));
    if (what !== 'commands') return no('Invalid args', 3);
    const shortOf = (name: string): string => Object.keys(shortcuts).find((key) => shortcuts[key] === name) ?? '';
    if (commands === 'shortcuts') return ok(commandNames.map((name) => `${name}: ${shortOf(name)}`).join('\r\n'));
    if (commands === 'bare') return ok(commandNames.join('\r\n'));
    const rows = [commandNames.slice(0, 8), commandNames.slice(8)];
    return ok(rows.map((row) => row.join('  ')).join('\r\n'));
  }

  #settings(): string {
    const rows = [...this.variables].map(([name, value]) => name + this.traits.between + value);
    if (!this.traits.isHostile) return rows.join('\r\n');
    const bells = 'evil.\u001b]0;title\u0007name: \u001b[31mred';
    return [
      ...rows,
      bells,
      'big.table:',
      ...Array.from({ length: 40_000 }, (_, at) => `# ${at} ${'x'.repeat(60)}`),
    ].join('\r\n');
  }

  #one(name: string): Said {
    const value = this.variables.get(name);
    return value === undefined ? no('Unknown variable', 5) : ok(value);
  }

  #listing(): string {
    const rows = [...this.files].map(([name, { length }], at) => {
      const size = name === 'growing.log' ? length + 1 : length;
      return this.traits.columns === 'known'
        ? `# ${String(at).padStart(2)} i-FE  0000   ${String(at * 3).padStart(4)} ${String(size).padStart(7)} 1.4.0.24 ${name}`
        : `  ${String(size).padStart(7)}  2021-04-27  ${name}`;
    });
    if (this.traits.columns === 'other') return ['     Size  Date        Name', ...rows].join('\r\n');
    const huge = `# ${String(rows.length).padStart(2)} i-FE  0000   0999 ${hugeBytes} 1.4.0.24 huge.bin`;
    const head = '!  # Type  Flags    Hnd    Size   Version Filename';
    return [head, ...rows, ...(this.traits.isHostile ? [huge] : [])].join('\r\n');
  }

  #stat(name: string): Said {
    const content = this.files.get(name);
    if (this.traits.stat === 'none') return no('Unknown command', 2);
    if (!content) return no('File not found');
    if (this.traits.stat === 'words') return ok(`Name: ${name}, ${content.length} bytes`);
    return ok(`${content.length},${formatCrc16(crc16(content)).replace(/^0x/i, '')},1.4.0.24,i,FE,0000`);
  }

  #open(stream: { readonly name: string; at: number; readonly wants?: number; got: Buffer[] }): Said {
    const handle = Array.from({ length: 8 }, (_, at) => at).find((at) => !this.#streams.has(at));
    if (handle === undefined) return no('No free stream');
    this.#streams.set(handle, stream);
    return ok(String(handle));
  }

  #create(args: readonly string[]): Said {
    const isStream = args.includes('-o');
    const [name = '', count] = args.filter((word) => !word.startsWith('-'));
    const wants = Number(count);
    if (!(wants >= 0 && wants < 500_000)) return no('Not enough space');
    if (this.files.has(name)) return no('File already exists');
    if (isStream) return this.#open({ name, at: 0, wants, got: [] });
    const take = (data: Buffer): Said => {
      this.files.set(name, data);
      return ok('File created');
    };
    return { ...ok(), needs: wants, take };
  }

  #read(handle: number, count: number): Said {
    const stream = this.#streams.get(handle);
    const held = stream && this.files.get(stream.name);
    if (!stream || !held) return no('Invalid handle');
    if (stream.name === 'growing.log') this.files.set(stream.name, Buffer.concat([held, Buffer.from('more')]));
    const bytes = held.subarray(stream.at, stream.at + count);
    stream.at += bytes.length;
    if (bytes.length > 0) return ok(bytes.toString('latin1'));
    this.#streams.delete(handle);
    return ok(`[2021-04-27 | 20:39:50: Closed: ${handle}]`);
  }

  #write(handle: number, count: number): Said {
    const stream = this.#streams.get(handle);
    if (stream?.wants === undefined) return no('Invalid handle');
    const { wants } = stream;
    const take = (data: Buffer): Said => {
      stream.got.push(Buffer.from(data));
      const whole = Buffer.concat(stream.got);
      if (whole.length < wants) return ok();
      this.files.set(stream.name, whole);
      this.#streams.delete(handle);
      return ok();
    };
    return { ...ok(), needs: count, take };
  }
}

/** What other sessions and the module itself print meanwhile; some of it has a prompt behind it. */
const chatter = [
  '[2021-04-27 | 20:39:50: Associated]\r\n',
  '\r\n[2021-04-27 | 20:39:51: Ready]\r\n> ',
  'ota: polling\r\n> ',
  '[2021-04-27 | 20:39:52: Opened: 7]\r\n> ',
];

interface LineEnd {
  write(bytes: Buffer): unknown;
  on(event: 'data', listener: (bytes: Buffer) => void): unknown;
  on(event: 'close' | 'error', listener: () => void): unknown;
}

/** The command line of a stand-in over a line: characters come back at once, answers when they are due, one after another. */
export function attachStandIn(standIn: StandIn, stream: LineEnd, clock: Clock): void {
  let typed = Buffer.alloc(0);
  let awaited: Said | undefined;
  let isBusy = false;
  let isEndless = false;
  let isOver = false;
  let chatters = 0;
  const print = (text: string): void => void (isOver || stream.write(Buffer.from(text, 'latin1')));
  const chat = (): void => {
    if (isOver) return;
    print(chatter[chatters++ % chatter.length] ?? '');
    clock.after(standIn.traits.chatterMs, chat);
  };
  const drip = (): void => {
    if (isOver || !isEndless) return;
    print('RW more.and.more : m\r\n'.repeat(50));
    clock.after(50, drip);
  };
  const answer = (line: string): void => {
    isBusy = true;
    clock.after(standIn.nextDelayMs(), () => {
      isBusy = false;
      const said = standIn.run(line);
      isEndless = line === 'help variables' && standIn.traits.variables === 'endless';
      if (isEndless) drip();
      else if (said.needs !== undefined) awaited = said;
      else print(`${said.text}\r\n> `);
      pump();
    });
  };
  /** Whether there was something to do. */
  const step = (): boolean => {
    if (isBusy) return false;
    if (awaited?.needs !== undefined) {
      if (typed.length < awaited.needs) return false;
      const said = awaited.take?.(typed.subarray(0, awaited.needs)) ?? no();
      typed = typed.subarray(awaited.needs);
      awaited = undefined;
      print(`${said.text}\r\n> `);
      return true;
    }
    const end = typed.findIndex((byte) => byte === 10 || byte === 13);
    if (end < 0) return false;
    const line = typed.subarray(0, end).toString('latin1');
    typed = typed.subarray(end + (typed[end] === 13 && typed[end + 1] === 10 ? 2 : 1));
    isEndless = false;
    if (line.trim() === '') print('\r\n> ');
    else answer(line);
    return true;
  };
  const pump = (): void => {
    while (step());
  };
  stream.on('data', (bytes) => {
    typed = Buffer.concat([typed, bytes]);
    if (!awaited) print(bytes.toString('latin1'));
    pump();
  });
  for (const sign of ['close', 'error'] as const)
    stream.on(sign, () => {
      isOver = true;
    });
  print('[2021-04-27 | 20:39:50: Ready]\r\n> ');
  if (standIn.traits.chatterMs > 0) clock.after(standIn.traits.chatterMs, chat);
}
