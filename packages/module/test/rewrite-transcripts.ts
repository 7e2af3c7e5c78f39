/**
 * Writes anew what the module sends in the dialogues named, for a change of a list or a text that many of them show:
 * `npm run dialogues -- NAME ...`. Read the difference before you keep it. Only for
 * dialogues of commands and their answers; others are refused. What a scripted peer has heard otherwise is printed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import type { Net } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import { attachSession } from '../src/bus/attach-session.ts';
import { createModule } from '../src/module.ts';
import { addHost, ScriptedPeer } from './hosts.ts';
import { bytesOf, parseTranscript, spell } from './transcript.ts';
import { memoryPair } from './wires.ts';

/** Turns of the event loop in which an answer comes. */
const answerTurns = 200;

async function rewrite(text: string): Promise<string> {
  const clock = new VirtualClock();
  const { hosts, peers: scripts } = parseTranscript(text);
  const network = new MemoryNetwork(clock);
  const nets: Net[] = [];
  for (const [name, ip] of hosts) nets.push(await addHost(network, name, ip));
  const peers = new Map([...scripts].map(([port, steps]) => [port, new ScriptedPeer(steps)]));
  for (const [port, peer] of peers) {
    if (nets[0]) unwrap(await nets[0].listen(port, (connection) => peer.accept(connection)));
  }
  const net = network.attach('module', '10.5.6.108');
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: 'transcripts' });
  await module.boot();
  const [host, board] = memoryPair();
  let received = '';
  host.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1');
  });
  const lines = text.split('\n').filter((line) => !line.startsWith('< '));
  for (const line of lines.filter((each) => each.startsWith('setup '))) await module.execute(line.slice(6));
  attachSession(module, 'serial', board);
  const written: string[] = [];
  for (const [index, line] of lines.entries()) {
    written.push(line);
    if (/^($|#|(setup|host|peer|not-on|wait) )/.test(line)) continue;
    const waitMs = Number(/^wait (\d+)$/.exec(lines[index + 1] ?? '')?.[1] ?? 0);
    const bytes = bytesOf(line.slice(2));
    if (!line.startsWith('> ') || !bytes.ok) throw new Error(`Line "${line}" cannot be replayed here`);
    host.write(Buffer.from(bytes.value, 'latin1'));
    for (let left = answerTurns; left > 0; left--) {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(received === '' ? waitMs : 0);
    }
    if (waitMs > 0) written.push(lines.splice(index + 1, 1)[0] ?? '');
    if (received !== '') written.push(`< ${spell(received)}`);
    received = '';
  }
  for (const [port, peer] of peers) if (!peer.done) console.error(`peer ${port}: ${peer.state}`);
  host.destroy();
  await module.close();
  return written.join('\n');
}

for (const name of process.argv.slice(2)) {
  const path = new URL(`transcripts/${name}.txt`, import.meta.url);
  writeFileSync(path, await rewrite(readFileSync(path, 'utf8')));
}
