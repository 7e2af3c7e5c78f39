import { sleep } from '@moorage/base';
import { defaultFileType, fileFlags } from '../device/flash.ts';
import type { Command } from '../interpreter/command.ts';
import { seesSecrets } from '../interpreter/origin.ts';
import { codes, fail, lines, ok, type RefusalCode, type Response } from '../interpreter/reply.ts';
import { textOf } from '../interpreter/tokeniser.ts';
import { offerOfGet, offerOfSet } from '../variables/offers.ts';
import { isExport, type VariableError, type VariableRefusal } from '../variables/store.ts';
import { type Board, defineCommand } from './board.ts';
import { refuseFile } from './file-reasons.ts';

/** Spec: MOD-SET-codes. */
const errorCodes: Readonly<Record<VariableError, RefusalCode>> = {
  missing: codes.TOO_FEW,
  'too-many': codes.TOO_MANY,
  unknown: codes.UNKNOWN_NAME,
  invalid: codes.INVALID,
  failed: codes.FAILED,
};

/** Largest settings file that `load` takes, in bytes. */
const maxSettingsBytes = 65_536;

function refuse(board: Board, refusal: VariableRefusal): Response {
  const { pin, owner, locked } = refusal;
  if (pin !== undefined && owner !== undefined) board.log.say('pinTaken', { pin, owner });
  if (locked !== undefined) board.log.say('variableLocked', { name: locked });
  return fail(errorCodes[refusal.error]);
}

const get = defineCommand({
  name: 'get',
  shortcut: 'get',
  group: 'variable',
  spec: 'MOD-CMD-get',
  evidence: 'spec',
  summary: 'Show a variable, a group of them, or all',
  syntax: 'get <variable/group/all> [options]',
  args: { words: { kind: 'words', help: 'name or shortcut of a variable or group, or all; then its options' } },
  safeMode: true,
  example: 'get wlan.ssid',
  completes: (board, words) => offerOfGet(board.variables, words),
  run: (board, { words }, session) => {
    const answer = board.variables.query(words, { hideSecrets: !seesSecrets[session.origin] });
    if (!answer.ok) return refuse(board, answer.error);
    return answer.value.kind === 'value' ? ok(answer.value.text) : lines(answer.value.rows);
  },
});

const set = defineCommand({
  name: 'set',
  shortcut: 'set',
  group: 'variable',
  spec: 'MOD-CMD-set',
  evidence: 'spec',
  summary: 'Change a variable until the next reboot',
  syntax: 'set <variable> <value>',
  args: { words: { kind: 'words', typed: true, help: 'name or shortcut of a variable, then its value' } },
  safeMode: true,
  example: 'set wlan.ssid "harbour office"',
  completes: (board, words) => offerOfSet(board.variables, words, () => board.flash.list().map(({ name }) => name)),
  run: (board, { words }) => {
    const assigned = board.variables.assign(words.map(textOf), words);
    // Spec: MOD-LINE-set-ok.
    return assigned.ok ? ok(board.personality.text('setOk')) : refuse(board, assigned.error);
  },
});

const save = defineCommand({
  name: 'save',
  shortcut: 'save',
  group: 'variable',
  spec: 'MOD-CMD-save',
  evidence: 'spec',
  summary: 'Keep all variables over a reboot, or in a file',
  example: 'save settings.bak',
  args: { file: { kind: 'word', optional: true, help: 'file to write instead of the settings' } },
  safeMode: true,
  run: async (board, { file }) => {
    await sleepIfAny(board, board.timings.saveMs);
    if (file !== undefined) return saveToFile(board, file);
    await board.variables.save();
    return ok(board.personality.text('success'));
  },
});

const load = defineCommand({
  name: 'load',
  shortcut: 'load',
  group: 'variable',
  spec: 'MOD-CMD-load',
  evidence: 'documented',
  summary: 'Go back to the saved variables, or take those of a file',
  example: 'load settings.bak',
  args: { file: { kind: 'file', optional: true, help: 'file that save has written' } },
  run: async (board, { file }) => {
    if (file !== undefined) return loadFromFile(board, file);
    reportDropped(board.log, await board.variables.load());
    return ok(board.personality.text('success'));
  },
});

/** Says which saved values are damaged. A boot does it, too. */
export function reportDropped(log: Board['log'], dropped: readonly string[] | 'damaged'): void {
  if (dropped === 'damaged') log.say('settingsDamaged');
  else for (const name of dropped) log.say('settingDropped', { name });
}

/** Takes the place of an earlier save under that name, but of no other file. One with passwords in it is for `load` alone. */
async function saveToFile(board: Board, name: string): Promise<Response> {
  const content = Buffer.from(board.variables.export());
  if (!(await isFreeForSave(board, name))) return refuseFile(board, 'exists');
  const writer = await board.flash.place({
    name,
    size: content.length,
    version: [1, 0, 0, 0],
    type: defaultFileType,
    flags: fileFlags.user | (board.variables.holdsSecrets ? fileFlags.encrypted : 0),
    replace: true,
  });
  if (!writer.ok) return refuseFile(board, writer.error);
  await writer.value.append(content);
  const finished = await writer.value.finish();
  return finished.ok ? ok(board.personality.text('success')) : refuseFile(board, finished.error);
}

async function isFreeForSave(board: Board, name: string): Promise<boolean> {
  const held = await board.flash.readAll(name, maxSettingsBytes);
  return held.ok ? isExport(Buffer.from(held.value).toString('utf8')) : held.error === 'missing';
}

async function loadFromFile(board: Board, name: string): Promise<Response> {
  const content = await board.flash.readAll(name, maxSettingsBytes);
  if (!content.ok) return refuseFile(board, content.error);
  const imported = board.variables.import(Buffer.from(content.value).toString('utf8'));
  if (!imported.ok) {
    board.log.say('settingsDamaged');
    return fail(codes.FAILED);
  }
  reportDropped(board.log, imported.value);
  return ok(board.personality.text('success'));
}

const sleepIfAny = (board: Board, ms: number): Promise<void> => (ms > 0 ? sleep(board.clock, ms) : Promise.resolve());

/** Spec: MOD-RULE-variables. */
export const variableCommands: readonly Command<Board>[] = [get, set, save, load];
