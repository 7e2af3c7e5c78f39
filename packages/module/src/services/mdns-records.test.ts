import {
  blankQuery,
  blankResponse,
  type DnsMessage,
  type DnsRecord,
  readDns,
  writeDns,
} from '@moorage/net/dns/dns-message';
import { describe, expect, test } from 'vitest';
import {
  announcementOf,
  answerTo,
  type Claim,
  goodbyeOf,
  isContested,
  legacyAnswer,
  losesTo,
  numbered,
  probeOf,
  serviceType,
} from './mdns-records.ts';

const bare: Claim = { name: 'module-112a', ip: '10.5.6.108', services: [] };
const http = { type: '_http._tcp.local', port: 80, txt: ['mac=02'] };
const claim: Claim = { ...bare, services: [http] };

const ask = (who: Claim, name: string, type: string, known: readonly DnsRecord[] = []) =>
  answerTo(who, { ...blankQuery, questions: [{ name, type }], answers: known });
const summaryOf = (answer: ReturnType<typeof answerTo>) =>
  answer?.message.answers.map(({ type, ttl }) => `${type} ${ttl}`);
const along = (answer: ReturnType<typeof answerTo>) => answer?.message.additionals.map(({ type }) => type);

const address = (name: string, data: string, ttl = 120): DnsRecord => ({ name, type: 'A', ttl, data });

// MOD-RULE-mdns, MOD-VAR-mdns.service
describe('what a module says of itself', () => {
  test('is its address alone when it announces no service', () => {
    expect(announcementOf(bare).answers).toEqual([
      { name: 'module-112a.local', type: 'A', ttl: 120, flush: true, data: '10.5.6.108' },
    ]);
  });

  test('is each service with its place, its text and its type', () => {
    expect(announcementOf(claim).answers.map(({ type, name, ttl }) => `${type} ${name} ${ttl}`)).toEqual([
      'A module-112a.local 120',
      'SRV module-112a._http._tcp.local 120',
      'TXT module-112a._http._tcp.local 4500',
      'PTR _http._tcp.local 4500',
      'PTR _services._dns-sd._udp.local 4500',
    ]);
  });

  test('is taken back with a time of none', () => {
    expect(goodbyeOf(claim).answers.every(({ ttl }) => ttl === 0)).toBe(true);
  });

  test('can be written and read', () => {
    for (const message of [probeOf(claim), announcementOf(claim), goodbyeOf(claim)]) {
      expect(readDns(writeDns(message))?.answers).toEqual(
        message.answers.map((record) => ({ flush: false, ...record })),
      );
    }
  });
});

describe('answers', () => {
  test.each([
    ['module-112a.local', 'A', ['A 120'], []],
    ['MODULE-112A.local', 'ANY', ['A 120'], []],
    ['_http._tcp.local', 'PTR', ['PTR 4500'], ['SRV', 'TXT', 'A']],
    ['_services._dns-sd._udp.local', 'PTR', ['PTR 4500'], []],
    ['module-112a._http._tcp.local', 'SRV', ['SRV 120'], ['A']],
    ['module-112a._http._tcp.local', 'TXT', ['TXT 4500'], []],
    ['module-112a._http._tcp.local', 'ANY', ['SRV 120', 'TXT 4500'], ['A']],
  ])('to %s %s', (name, type, answers, additionals) => {
    const answer = ask(claim, name, type);
    expect(summaryOf(answer)).toEqual(answers);
    expect(along(answer)).toEqual(additionals);
  });

  test.each([
    ['other.local', 'A'],
    ['module-112a', 'A'],
    ['_ftp._tcp.local', 'PTR'],
    ['module-112a._http._tcp.local', 'AAAA'],
  ])('there are none to %s %s', (name, type) => expect(ask(claim, name, type)).toBeUndefined());

  test('a type that the host does not have is denied', () => {
    const answer = ask(claim, 'module-112a.local', 'AAAA');
    expect(answer?.message.answers).toMatchObject([{ type: 'NSEC', data: { rrtypes: ['A'] } }]);
  });

  test('others may have answers to the same question only where records are shared', () => {
    expect(ask(claim, '_http._tcp.local', 'PTR')?.shared).toBe(true);
    expect(ask(claim, 'module-112a.local', 'A')?.shared).toBe(false);
  });

  test('what the asker knows for half of its time need not be said', () => {
    const known = (ttl: number) =>
      ask(claim, 'module-112a.local', 'A', [address('module-112a.local', '10.5.6.108', ttl)]);
    expect(known(60)).toBeUndefined();
    expect(summaryOf(known(59))).toEqual(['A 120']);
    expect(summaryOf(ask(claim, 'module-112a.local', 'A', [address('module-112a.local', '10.5.6.9')]))).toEqual([
      'A 120',
    ]);
  });

  test('one who knows only plain DNS gets his question back, and short times', () => {
    const query: DnsMessage = { ...blankQuery, id: 77, questions: [{ name: '_http._tcp.local', type: 'PTR' }] };
    const answer = answerTo(claim, query);
    expect(answer && legacyAnswer(answer.message, query)).toMatchObject({
      id: 77,
      questions: query.questions,
      answers: [{ type: 'PTR', ttl: 10, flush: false }],
      additionals: [{ ttl: 10 }, { ttl: 10 }, { ttl: 10 }],
    });
  });
});

describe('rivals', () => {
  test.each<[string, DnsRecord, boolean]>([
    ['another address for the name', address('Module-112a.local', '10.5.6.9'), true],
    ['the same address', address('module-112a.local', '10.5.6.108'), false],
    ['a name that is given up', address('module-112a.local', '10.5.6.9', 0), false],
    ['another name', address('module-2.local', '10.5.6.9'), false],
    [
      'another place of the service',
      { name: 'module-112a._http._tcp.local', type: 'SRV', ttl: 120, data: { port: 8080, target: 'x.local' } },
      true,
    ],
    ['a shared record', { name: '_http._tcp.local', type: 'PTR', ttl: 120, data: 'x._http._tcp.local' }, false],
  ])('%s contests the name: %s', (_, record, contested) => expect(isContested(claim, [record])).toBe(contested));

  test.each([
    ['10.5.6.109', true],
    ['10.5.6.107', false],
    ['10.5.6.108', false],
    ['9.255.255.255', false],
    ['100.0.0.1', true],
  ])('a probe with %s at the same time wins: %s', (ip, loses) => {
    const rival = { ...blankQuery, authorities: [address('module-112a.local', ip)] };
    expect(losesTo(claim, rival)).toBe(loses);
    expect(losesTo(claim, { ...blankResponse, authorities: [address('other.local', ip)] })).toBe(false);
  });

  test('names are numbered from the second on, within a label', () => {
    expect([1, 2, 13].map((attempt) => numbered('module', attempt))).toEqual(['module', 'module-2', 'module-13']);
    expect(numbered('a'.repeat(63), 2)).toBe(`${'a'.repeat(61)}-2`);
  });
});

test.each([
  ['http', '_http._tcp.local'],
  ['_http._tcp', '_http._tcp.local'],
  ['_HTTP._TCP.local.', '_http._tcp.local'],
  ['ntp.udp', '_ntp._udp.local'],
  ['_ntp._udp', '_ntp._udp.local'],
  ['remote_terminal', '_remote_terminal._tcp.local'],
  ['', undefined],
  ['a.b', undefined],
  ['_http._sctp', undefined],
  ['a-name-that-is-too-long', undefined],
  ['two words', undefined],
])('the service %j is of type %j', (word, type) => expect(serviceType(word)).toBe(type));
