import { blankQuery, type DnsMessage } from '@moorage/net/dns/dns-message';
import { expect, test } from 'vitest';
import { llmnrAnswer } from './llmnr.ts';

const ask = (name: string, type = 'A', changes: Partial<DnsMessage> = {}) =>
  llmnrAnswer({ ...blankQuery, id: 5, questions: [{ name, type }], ...changes }, 'module-112a', '10.5.6.108');

// MOD-RULE-llmnr
test('the single-label name has the address, with the number of the question', () => {
  expect(ask('Module-112A')).toMatchObject({
    id: 5,
    isResponse: true,
    authoritative: false,
    questions: [{ name: 'Module-112A', type: 'A' }],
    answers: [{ name: 'Module-112A', type: 'A', data: '10.5.6.108' }],
  });
});

test('a question for another type has an answer without records', () => {
  expect(ask('module-112a', 'AAAA')).toMatchObject({ rcode: 0, answers: [] });
});

test.each([
  ['another name', ask('module')],
  ['the name of mDNS', ask('module-112a.local')],
  ['a response', ask('module-112a', 'A', { isResponse: true })],
  ['another opcode', ask('module-112a', 'A', { opcode: 4 })],
  ['what is truncated', ask('module-112a', 'A', { truncated: true })],
  ['no question', ask('', 'A', { questions: [] })],
])('%s has no answer', (_, answer) => expect(answer).toBeUndefined());
