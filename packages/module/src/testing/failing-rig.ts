import { createServer } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { crc16, type Store, unwrap } from '@moorage/base';
import { FailingStore, type StoreFault } from '@moorage/base/store/failing';
import { MemoryStore } from '@moorage/base/store/memory';
import type { Board } from '../commands/board.ts';
import { Flash } from '../device/flash-files.ts';
import { Session } from '../interpreter/session.ts';
import { defaultModel } from '../model/model.ts';
import { activeRig, cloudRig } from './cloud-rig.ts';

/** How a command is sent: typed on the serial line, or whole with its data, as the HTTP server does. */
export const doors = ['line', 'whole'] as const;
export type Door = (typeof doors)[number];

/** What a disk says when it is full, gone, broken, or another's. */
const codes = ['ENOSPC', 'ENOENT', 'EIO', 'EACCES'] as const;

const kinds = [
  { calls: 1, effect: 'lost' },
  { calls: Number.POSITIVE_INFINITY, effect: 'lost' },
  { calls: 1, effect: 'kept' },
] as const;

/** Every kind of fault at each call: that call alone, before or after its effect, and all from there on. */
export const faultsOf = (calls: number): readonly StoreFault[] =>
  Array.from({ length: calls }, (_, at) => at).flatMap((at) =>
    kinds.map((kind, index) => ({ at, code: codes[(at + index) % codes.length] ?? '', ...kind })),
  );

const bundle = {
  id: '22222222-2222-4222-8222-222222222222',
  version: '2.0.0.1',
  files: [
    { name: 'one.bin', content: Buffer.alloc(200_000, 'a') },
    { name: 'hello.txt', content: Buffer.from('bundled'), version: '2.0.0.0' },
  ],
};

const prepared: readonly (readonly [line: string, data?: string])[] = [
  ['file_create hello.txt 5', 'hello'],
  ['file_create page.html 4', 'page'],
  ['file_create capabilities.json 2', '{}'],
  ['file_create boot.script 4', 'ver\n'],
  ['file_create ca.pem 2', 'ca'],
  ['file_create cert.pem 4', 'cert'],
  ['file_create key.pem 3', 'key'],
  ['set wlan.passkey "open sea"'],
  ['set system.cmd.mode machine'],
  ['set dms.provision.token QUJDREVGR0hJSktMTU5PUFFSU1RVVldY'],
  ['set setup.gpio.cmd save'],
  ['save settings.bak'],
  ['save'],
];

/** A module over a store that can be made to fail, with a service and a web server in reach. */
export async function failingRig({ active = true }: { readonly active?: boolean } = {}) {
  const store = new FailingStore(new MemoryStore());
  const rig = await (active ? activeRig({ store }) : cloudRig({ store }));
  const { clock, module, network, peer, until } = rig;
  peer.bundle = bundle;
  const server = createServer((_request, response) => response.end('<p>page</p>'));
  server.keepAliveTimeout = 0;
  unwrap(
    await network
      .attach('files.example', '10.5.6.9')
      .listen(80, ({ stream }) => void server.emit('connection', stream)),
  );
  for (const [line, data] of prepared) {
    const { code } = await until(module.execute(line, data === undefined ? undefined : Buffer.from(data)));
    if (code !== 0) throw new Error(`${line}: ${code}`);
  }
  const mistakes: unknown[] = [];
  let printed = '';
  const session = new Session<Board>({
    board: module,
    registry: module.registry,
    origin: 'serial',
    write(bytes) {
      printed += Buffer.from(bytes).toString('latin1');
      return true;
    },
    ready: () => {},
    ended: () => {},
    onMistake: (error) => mistakes.push(error),
  });
  /** Sends a command and lets it come to its end, with what it has left to do: its response. */
  const send = async (door: Door, line: string, data = ''): Promise<string> => {
    printed = '';
    if (door === 'line') session.receive(Buffer.from(`${line}\r\n${data}`, 'latin1'));
    const whole = door === 'whole' && until(module.execute(line, Buffer.from(data)));
    const execution = whole && (await whole.catch((error: unknown) => void mistakes.push(error)));
    for (let step = 0; door === 'line' && step < 600 && !/^R\d{6}/m.test(printed); step++) await clock.advance(100);
    await clock.advance(1_000);
    return execution ? `${execution.code} ${execution.text}` : printed;
  };
  return { ...rig, store, send, mistakes, run: (line: string, data?: string) => send('whole', line, data) };
}

/** What is wrong with a flash beside its store; nothing when each file is whole and a boot would find the same. */
export async function flashProblems(flash: Flash, store: Store): Promise<readonly string[]> {
  const found = await Flash.open(store, defaultModel.flash);
  const problems: string[] = [];
  const names = new Set([...flash.list(), ...found.list()].map(({ name }) => name));
  for (const name of names) {
    const [held, kept] = [flash.stat(name), found.stat(name)];
    if (!isDeepStrictEqual(held, kept))
      problems.push(`${name}: ${JSON.stringify(held)} is kept as ${JSON.stringify(kept)}`);
    const content = held && (await flash.read(held, 0, held.size));
    if (content && !(content.ok && content.value.length === held.size && crc16(content.value) === held.crc))
      problems.push(`${name} is damaged`);
  }
  return problems;
}
