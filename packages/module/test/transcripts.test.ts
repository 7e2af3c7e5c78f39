import { readdirSync, readFileSync } from 'node:fs';
import { VirtualClock } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../src/device/memory-store.ts';
import { createModule, type Module } from '../src/module.ts';
import { MemoryNetwork } from '../src/net/memory.ts';
import { parseTranscript, spell, type Transcript, wires } from './transcript.ts';
import { openWire, type Wire } from './wires.ts';

/** Real milliseconds in which expected bytes have to come. */
const receiveTimeoutMs = 5_000;

/** Turns of the event loop that sent bytes have to arrive before time goes on. */
const arrivalTurns = 100;

/** Turns of the event loop in which nothing may come that is not expected. */
const quietTurns = 20;

const folder = new URL('transcripts/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function bootedModule(clock: VirtualClock): Promise<Module> {
  const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: 'transcripts' });
  await module.boot();
  return module;
}

/** The bytes that the host has received and not yet expected. */
class Received {
  bytes = '';
  ended = false;

  constructor(wire: Wire) {
    wire.stream.on('data', (chunk: Buffer) => {
      this.bytes += chunk.toString('latin1');
    });
    wire.stream.on('end', () => {
      this.ended = true;
    });
  }

  /** Waits for as many bytes as `expected` has, or for the time that they had. */
  async take(expected: string, meanwhile: () => Promise<void>): Promise<string> {
    const deadline = performance.now() + receiveTimeoutMs;
    while (this.bytes.length < expected.length && performance.now() < deadline) await meanwhile();
    const taken = this.bytes.slice(0, expected.length);
    this.bytes = this.bytes.slice(expected.length);
    return taken;
  }
}

async function replay(transcript: Transcript, wireName: (typeof wires)[number], pieces: 'whole' | 'bytes') {
  const clock = new VirtualClock();
  const module = await bootedModule(clock);
  for (const line of transcript.setup) expect((await module.execute(line)).code, line).toBe(0);
  const wire = await openWire[wireName](module);
  const received = new Received(wire);
  // A wait goes on until its effect is seen: over a real wire the bytes before it may still be on their way.
  let waitMs = 0;
  const meanwhile = async (): Promise<void> => {
    await turn();
    await clock.advance(waitMs);
  };
  try {
    for (const [index, step] of transcript.steps.entries()) {
      if (step.kind === 'send') {
        waitMs = 0;
        const bytes = Buffer.from(step.bytes, 'latin1');
        if (pieces === 'whole') wire.stream.write(bytes);
        else for (const byte of bytes) wire.stream.write(Buffer.of(byte));
      } else if (step.kind === 'receive') {
        const taken = await received.take(step.bytes, meanwhile);
        expect(spell(taken), `step ${index + 1}, then came: ${spell(received.bytes)}`).toBe(spell(step.bytes));
      } else if (step.kind === 'end') wire.stream.end();
      else if (step.kind === 'ended') await expect.poll(() => received.ended).toBe(true);
      else if (step.kind === 'wait') {
        while (wire.stream.writableLength > 0) await turn();
        for (let left = arrivalTurns; left > 0; left--) await turn();
        waitMs = step.ms;
      } else module.log.line(step.text);
    }
    for (let left = quietTurns; left > 0; left--) await turn();
    expect(spell(received.bytes), 'after the last step').toBe('');
  } finally {
    await wire.close();
    await module.close();
  }
}

describe.each(files)('%s', (file) => {
  const transcript = parseTranscript(readFileSync(new URL(file, folder), 'utf8'));
  for (const wire of wires) {
    const reason = transcript.notOn.get(wire);
    for (const pieces of ['whole', 'bytes'] as const) {
      if (reason !== undefined) test.skip(`is not for ${reason}`, () => {});
      else test(`over ${wire}, ${pieces}`, () => replay(transcript, wire, pieces));
    }
  }
});
