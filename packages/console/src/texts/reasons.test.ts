import { expect, test } from 'vitest';
import { sayReason } from './reasons.ts';

test.each([
  ['The device is blocked', 'Das Gerät ist gesperrt'],
  ['The rollout "Spring (1)" brings it', 'Der Rollout „Spring (1)“ bringt sie'],
  ['The device is held here: line one\nline two', 'Das Gerät wird hier festgehalten: line one\nline two'],
  ['The download was not complete after 7 days', 'Der Download war nach 7 Tagen nicht vollständig'],
  ['No signal came for stage 2 within 60 s', 'Für Stufe 2 kam binnen 60 s kein Signal'],
  ['Emergency stop: smoke', 'Notstopp: smoke'],
  ['disk full', 'disk full'],
])('the reason %j is said in German', (reason, german) => {
  expect(sayReason(reason, 'de')).toBe(german);
  expect(sayReason(reason, 'en')).toBe(reason);
});
