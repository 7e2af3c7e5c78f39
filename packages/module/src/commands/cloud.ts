import type { Result } from '@moorage/base';
import type { DataRefusal } from '@moorage/device';
import { controlsText, parseWrite, timedText, type WriteError } from '../cloud/value-texts.ts';
import { maxNameLength } from '../device/flash.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok, type RefusalCode, type Response } from '../interpreter/reply.ts';
import { textOf } from '../interpreter/tokeniser.ts';
import { type Board, defineCommand } from './board.ts';
import { cloudCapabilities } from './cloud-capabilities.ts';
import { cloudMessage } from './cloud-message.ts';
import { refuse } from './cloud-refusals.ts';

/** Name and password of an account of the service. Spec: MOD-AUTH-7. */
const login = {
  username: { kind: 'word', maxLength: 254, help: 'user name of an account of the service' },
  password: { kind: 'word', maxLength: 1024, help: 'its password' },
} as const;

const answer = (board: Board, result: Result<void, DataRefusal>): Response =>
  result.ok ? ok(board.personality.text('success')) : refuse(board, result.error);

const cloudActivate = defineCommand({
  name: 'cloud_activate',
  shortcut: 'gac',
  group: 'cloud',
  spec: 'MOD-CMD-cloud_activate',
  evidence: 'spec',
  summary: 'Activate the device at the cloud service',
  example: 'cloud_activate ada secret capabilities.json',
  waitsFor: 'service',
  // Spec: MOD-OPT-cloud_activate-username, MOD-OPT-cloud_activate-password.
  args: {
    ...login,
    file: {
      kind: 'file',
      maxLength: maxNameLength,
      optional: true,
      help: 'capabilities file; the one in use without it',
    },
  },
  run: async (board, { username, password, file }, { signal }) => {
    const activated = await board.cloud.activate(
      { username, password },
      file ?? board.variables.get('cloud.capabilities'),
    );
    const restarts = board.variables.get('cloud.solo.enabled') && !signal.aborted;
    if (!activated.ok || !restarts) return answer(board, activated);
    // Spec: MOD-OPT-cloud_activate-solo. What has not been saved would be lost, the mode itself too.
    await board.variables.save();
    return { ...answer(board, activated), after: () => board.reboot() };
  },
});

const cloudDeactivate = defineCommand({
  name: 'cloud_deactivate',
  shortcut: 'gde',
  group: 'cloud',
  spec: 'MOD-CMD-cloud_deactivate',
  evidence: 'spec',
  summary: 'Deactivate the device at the cloud service',
  example: 'cloud_deactivate ada secret',
  waitsFor: 'service',
  // Spec: MOD-OPT-cloud_deactivate-username, MOD-OPT-cloud_deactivate-password.
  args: login,
  run: async (board, account) => answer(board, await board.cloud.deactivate(account)),
});

const cloudRead = defineCommand({
  name: 'cloud_read',
  shortcut: 'gre',
  group: 'cloud',
  spec: 'MOD-CMD-cloud_read',
  evidence: 'spec',
  summary: 'Read controls as they were last exchanged',
  example: 'cloud_read led',
  args: { name: { kind: 'word', optional: true, help: 'name of a control; all without it' } },
  run: (board, { name }) => {
    const controls = board.cloud.read(name);
    if (!controls.ok) return refuse(board, controls.error);
    return ok(name === undefined ? controlsText(controls.value) : controls.value.map(timedText).join(''));
  },
});

const writeCodes: Readonly<Record<WriteError, RefusalCode>> = {
  'too-few': codes.TOO_FEW,
  'too-many': codes.TOO_MANY,
  invalid: codes.INVALID,
};

const cloudWrite = defineCommand({
  name: 'cloud_write',
  shortcut: 'gwr',
  group: 'cloud',
  spec: 'MOD-CMD-cloud_write',
  evidence: 'spec',
  summary: 'Write samples of streams, or controls',
  example: 'cloud_write temperature 21.5',
  waitsFor: 'service',
  args: {
    values: { kind: 'words', typed: true, help: 'name, value and epoch seconds; or several with commas and bars' },
  },
  syntax: 'cloud_write <name> <value> [timestamp] / <name>,<value>[,timestamp]|<name>,<value>...',
  run: (board, { values }) => {
    const parsed = parseWrite(values, textOf);
    if (!parsed.ok) {
      if (parsed.error === 'invalid') board.log.say('writeMalformed');
      return fail(writeCodes[parsed.error]);
    }
    return board.cloud.write(parsed.value).then((written) => answer(board, written));
  },
});

const cloudSync = defineCommand({
  name: 'cloud_sync',
  shortcut: 'gsy',
  group: 'cloud',
  spec: 'MOD-CMD-cloud_sync',
  evidence: 'spec',
  summary: 'Push cached samples and changed controls, and pull controls',
  example: 'cloud_sync push',
  waitsFor: 'service',
  args: {
    direction: { kind: 'choice', choices: ['push', 'pull'], optional: true, help: 'only that; both without it' },
  },
  run: async (board, { direction }) => answer(board, await board.cloud.sync(direction ?? 'both')),
});

const cloudSignup = defineCommand({
  name: 'cloud_signup',
  shortcut: 'gsi',
  group: 'cloud',
  spec: 'MOD-CMD-cloud_signup',
  evidence: 'spec',
  summary: 'No longer supported: accounts are made at the service',
  example: 'cloud_signup',
  args: { words: { kind: 'words', optional: true, help: 'what older hosts still send' } },
  run: (board) => {
    board.log.say('noSignUp');
    return fail(codes.FAILED);
  },
});

/** Commands of the data cloud; a personality may spell their prefix differently. */
export const cloudCommands: readonly Command<Board>[] = [
  cloudActivate,
  cloudCapabilities,
  cloudDeactivate,
  cloudMessage,
  cloudRead,
  cloudSignup,
  cloudSync,
  cloudWrite,
];
