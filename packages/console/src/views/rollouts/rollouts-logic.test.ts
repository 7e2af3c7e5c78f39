import {
  executionStates,
  type RolloutRecord,
  type RolloutState,
  rolloutActions,
  rolloutStates,
  templateNames,
} from '@moorage/api';
import { expect, test } from 'vitest';
import { quoted } from '../../ui/filter-value.ts';
import { draftProblem, firstDraft, settingsOf, stagesProblem } from './draft.ts';
import { conditionsOf, emptyRow, filterFields, finished, rowsText } from './filter-rows.ts';
import { momentOf } from './moment-of.ts';
import { reachTexts } from './reach.tsx';
import { mayRetry, offeredRolloutActions, rolloutActionRows, takesSignal } from './rollout-actions.ts';
import { gateWords, rolloutWords } from './rollout-words.ts';
import { plannedStages } from './stage-bar.tsx';
import { choiceOf, waysOf } from './ways.ts';

const fieldAt = (title: string): number => filterFields.findIndex((field) => field.title === title);
const conditionAt = (field: string, title: string): number => {
  const { kind } = filterFields[fieldAt(field)] ?? { kind: 'text' };
  return conditionsOf[kind].findIndex((condition) => condition.title === title);
};

test.each([
  ['Label', 'region', 'is', 'eu', 'label.region==eu'],
  ['Label', 'site', 'is', "O'Brien; pier (1)", "label.site=='O\\'Brien; pier (1)'"],
  ['Label', 'region', 'is one of', 'eu, us', 'label.region=in=(eu,us)'],
  ['Tag', '', 'is not set', '', 'tag!=*'],
  ['Title', '', 'is', 'Lamp*', 'title==Lamp*'],
  ['Version', '', 'is below', '1.2.0.0', 'version=lt=1.2.0.0'],
  ['Last seen', '', 'within the last', '7d', 'last_seen=ge=-7d'],
  ['Attribute, as a number', 'free_flash', 'is at least', '65536', 'attribute.free_flash=ge=65536'],
  // Not complete yet.
  ['Label', '', 'is', 'eu', '…'],
  ['Label', 'region', 'is', ' ', '…'],
])('a condition "%s %s %s %s" is %s', (field, name, condition, value, expected) => {
  expect(rowsText([{ field: fieldAt(field), name, condition: conditionAt(field, condition), value }])).toBe(expected);
});

test('conditions hold together, and one that is not complete keeps the filter from being sent', () => {
  const region = { ...emptyRow, name: 'region', value: 'eu' };
  const both = [region, { ...region, name: 'site', value: 'pier' }];
  expect(rowsText(both)).toBe('label.region==eu;label.site==pier');
  expect(finished(rowsText(both))).toBeNull();
  for (const rows of [[emptyRow], [region, emptyRow], [emptyRow, region]]) {
    const filter = rowsText(rows);
    expect(finished(filter)).toBe('A condition is not complete');
    expect(draftProblem({ ...firstDraft, filter })).toBe('A condition is not complete');
  }
  expect(quoted('a\\b c')).toBe("'a\\\\b c'");
});

test('a draft becomes the settings that were typed, and nothing that was not', () => {
  expect(settingsOf({ ...firstDraft, stages: [], stopAt: '' })).toEqual({ stages: [{}] });
  expect(
    settingsOf({
      ...firstDraft,
      stages: [5],
      donePercent: 90,
      soakMinutes: 1.5,
      person: true,
      stopAction: 'roll_back',
      open: 10,
      retries: 2,
      thenTag: 'release',
    }),
  ).toEqual({
    stages: [{ percent: 5, gate: { done_percent: 90, failed_percent: 5, soak_s: 90, person: true } }, {}],
    pace: { open: 10 },
    abort: [{ kind: 'any', percent: 10, min: 5, action: 'roll_back' }],
    retry: { count: 2, back_off_s: 600 },
    then_tag: 'release',
  });
});

test('stages have to grow, and fill the whole', () => {
  expect(stagesProblem([])).toBeUndefined();
  expect(stagesProblem([1, 10, 50])).toBeUndefined();
  expect(stagesProblem([10, 10])).toContain('Stage 2');
  expect(stagesProblem([0])).toContain('Stage 1');
  expect(stagesProblem([100])).toContain('Stage 1');
  expect(plannedStages([1, 10, 100]).map(({ size }) => size)).toEqual([1, 9, 90]);
});

type Stage = RolloutRecord['stages'][number];
const counts = (some: Partial<Stage['counts']>): Stage['counts'] =>
  // Safe: every state gets its number.
  ({ ...Object.fromEntries(executionStates.map((state) => [state, 0])), ...some }) as Stage['counts'];
const rollout = (state: RolloutRecord['state'], stage = 0, failed = 0): RolloutRecord => ({
  id: 'r',
  product_id: 'p',
  product: 'P',
  bundle_id: 'b',
  bundle: '1.0.0.1',
  title: 'Spring',
  filter: null,
  priority: 0,
  settings: { stages: [{ percent: 50 }, {}] },
  state,
  reason: null,
  stage,
  stages: [
    { total: 4, state: 'open', counts: counts({ done: 3, failed, left: 1 }), failures: {} },
    { total: 4, state: 'waiting', counts: counts({ waiting: 4 }), failures: {} },
  ],
  abort: [],
  can_still: { ends: ['finished'], devices: 4, actions: ['abort', 'pause'] },
  created_by: null,
  approved_by: null,
  due_at: null,
  created_at: '0',
  started_at: '0',
  finished_at: null,
});

test('a rollout offers what the service says, in the order of the buttons, and each action has one', () => {
  expect(offeredRolloutActions(rollout('running')).map(({ action }) => action)).toEqual(['pause', 'abort']);
  expect(rolloutActionRows.map(({ action }) => action).sort()).toEqual([...rolloutActions].sort());
});

test('what a draft asks for is typed, of its product, or a template, and typed stages alone can be wrong', () => {
  const wrong = { ...firstDraft, stages: [50, 10] };
  expect(choiceOf(firstDraft)).toEqual({ settings: settingsOf(firstDraft) });
  expect(choiceOf({ ...wrong, way: 'default' })).toEqual({});
  expect(choiceOf({ ...wrong, way: 'careful' })).toEqual({ template: 'careful' });
  expect([wrong, { ...wrong, way: 'careful' as const }].map((draft) => draftProblem(draft) === undefined)).toEqual([
    false,
    true,
  ]);
  expect(waysOf(false).map(({ way }) => way)).toEqual(['own', ...templateNames]);
  expect(waysOf(true).map(({ way }) => way)).toContain('default');
});

test('a signal can be given where the open stage has a gate for one', () => {
  const gated = (state: RolloutState) => ({
    ...rollout(state),
    settings: { stages: [{ count: 4, gate: { signal: { within_s: 60 } } }, {}] },
  });
  expect(rolloutStates.filter((state) => takesSignal(gated(state)))).toEqual(['running']);
  expect(takesSignal(rollout('running'))).toBe(false);
});

test('the last stage is followed by none, and only failures are tried again', () => {
  expect(offeredRolloutActions(rollout('running', 1)).map(({ action }) => action)).not.toContain('pass');
  expect(rolloutStates.filter((state) => mayRetry(rollout(state)))).toEqual([]);
  expect(mayRetry(rollout('paused', 0, 1))).toBe(true);
  expect(mayRetry(rollout('draft', 0, 1))).toBe(false);
});

test('a gate says where it stands, and the bar what it shows', () => {
  const [stage] = rollout('running', 0, 1).stages;
  if (!stage) throw new Error('The rollout has a stage');
  expect(gateWords(undefined, { ...stage, total: 5 })).toEqual(['all have ended: 4 of 4']);
  const gate = { done_percent: 90, failed_percent: 5, soak_s: 5400, person: true };
  // Before it starts there is nothing to say of where it stands.
  expect(gateWords(gate, undefined)).toEqual([
    'at least 90 % run the bundle',
    'at most 5 % have failed',
    'that holds for 90 minutes',
    'a person begins the next stage',
  ]);
  expect(gateWords(gate, { ...stage, total: 5 })).toEqual([
    'at least 90 % run the bundle: 75 %',
    'at most 5 % failed: 25 %',
    'that holds for 90 minutes',
    'a person begins the next stage',
  ]);
  expect(rolloutWords(rollout('running'))).toBe(
    'stage 1: 3 of 4 devices done, 0 failed; stage 2: 0 of 4 devices done, 0 failed',
  );
});

test('a moment is that of the zone of the browser, and none is none', () => {
  expect(momentOf('')).toBeUndefined();
  expect(momentOf('soon')).toBeUndefined();
  expect(momentOf('2026-01-02T03:04')).toBe(new Date(2026, 0, 2, 3, 4).getTime());
});

test('a reach says how many devices move, and which stay and why', () => {
  const none = {
    moves: [],
    there: 0,
    out: {},
    bytes: 0,
    platform: 0,
    unseen: 0,
    flash: 0,
    ends_at: null,
    rollout: null,
  };
  expect(reachTexts(none)).toEqual(['This moves no device.']);
  const moves = [
    { from: '1.0.0.0', to: '1.0.0.1', devices: 12 },
    { from: null, to: '1.0.0.1', devices: 1 },
  ];
  const [sum, ...rest] = reachTexts({ ...none, moves, there: 2, out: { frozen: 3, other: 1 }, unseen: 4, flash: 5 });
  expect(sum).toMatch(/^This moves 13 devices/);
  expect(rest).toEqual([
    '12 devices: from 1.0.0.0 to 1.0.0.1',
    '1 device: to 1.0.0.1',
    '2 devices: there already',
    '3 devices: in a frozen product',
    '1 device: other',
    '4 devices of those that move: not seen for 7 days',
    '5 devices of those that move: too little free flash',
  ]);
});
