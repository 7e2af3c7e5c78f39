import { blankQuery, type DnsMessage } from '@moorage/net/dns/dns-message';
import { expect, test } from 'vitest';
import { dnsAnswer } from './dns-server.ts';

const ask = (name: string, type = 'A', changes: Partial<DnsMessage> = {}) =>
  dnsAnswer(
    { ...blankQuery, id: 9, questions: [{ name, type }], ...changes },
    ['module.local', 'setup.local'],
    '10.10.10.1',
  );

// MOD-VAR-softap.dns_server.url
test.each(['module.local', 'SETUP.local.'])('%s is the module', (name) => {
  expect(ask(name)).toMatchObject({
    id: 9,
    isResponse: true,
    rcode: 0,
    questions: [{ name }],
    answers: [{ name, type: 'A', data: '10.10.10.1' }],
  });
});

test('other names are not known', () => expect(ask('example.com')).toMatchObject({ rcode: 3, answers: [] }));

test('a name of the module has no records of other types', () =>
  expect(ask('module.local', 'AAAA')).toMatchObject({ rcode: 0, answers: [] }));

test('what is no plain query is refused', () => {
  expect(ask('module.local', 'A', { opcode: 2 })).toMatchObject({ rcode: 4 });
  expect(ask('module.local', 'A', { questions: [] })).toMatchObject({ rcode: 1 });
  expect(ask('module.local', 'A', { isResponse: true })).toBeUndefined();
});
