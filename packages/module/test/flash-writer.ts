/**
 * A process that makes, replaces and deletes files in a flash folder until it is killed. Before each change it prints
 * `begin <name> <round>`, after it `done`; round 0 stands for the deletion.
 */

import { writeSync } from 'node:fs';
import { ignoreFailure } from '@moorage/base';
import { DiskStore } from '@moorage/base/disk/store';
import { defaultFlashLayout, fileFlags } from '../src/device/flash.ts';
import { Flash } from '../src/device/flash-files.ts';
import { contentOf, fileNames } from './flash-writer-content.ts';

const [folder = '', firstRound = '1'] = process.argv.slice(2);

async function change(flash: Flash, name: string, round: number): Promise<void> {
  if (round === 0) {
    // Before its first round a file is missing.
    ignoreFailure(await flash.remove(name));
    return;
  }
  const content = contentOf(name, round);
  const file = {
    name,
    size: content.length,
    version: [1, 0, 0, 0],
    type: 0xfe,
    flags: fileFlags.user,
    replace: true,
  } as const;
  const writer = await flash.create(file);
  if (!writer.ok) throw new Error(writer.error);
  for (let at = 0; at < content.length; at += 1000) await writer.value.append(content.subarray(at, at + 1000));
  const made = await writer.value.finish();
  if (!made.ok) throw new Error(made.error);
}

const flash = await Flash.open(await DiskStore.open(folder), defaultFlashLayout);
for (let round = Number(firstRound); ; round++) {
  const name = fileNames[round % fileNames.length] ?? '';
  const target = round % 3 === 0 ? 0 : round;
  // Written at once, not through a queue that would die with the process.
  writeSync(1, `begin ${name} ${target}\n`);
  await change(flash, name, target);
  writeSync(1, 'done\n');
}
