import {
  blankQuery,
  blankResponse,
  type DnsMessage,
  type DnsQuestion,
  type DnsRecord,
  sameName,
} from '@moorage/net/dns/dns-message';
import { serviceListName } from '@moorage/net/dns/mdns-browser';

/** Seconds that others may keep an address. Reference: network 4.1. */
export const hostTtlSeconds = 120;
/** Seconds that others may keep a service. */
const serviceTtlSeconds = 4500;

/** One service as it is announced. */
export interface ServiceClaim {
  /** `_http._tcp.local` */
  readonly type: string;
  readonly port: number;
  readonly txt: readonly string[];
}

/** What a module says of itself. */
export interface Claim {
  /** Without `.local`. */
  readonly name: string;
  readonly ip: string;
  readonly services: readonly ServiceClaim[];
}

export const hostOf = ({ name }: Claim): string => `${name}.local`;

/** An instance is one label, whatever the host is called. */
const instanceOf = ({ name }: Claim, { type }: ServiceClaim): string => `${name.replaceAll('.', '-')}.${type}`;

/** The name with the number of the attempt: `module`, `module-2`, `module-3`. */
export const numbered = (base: string, attempt: number): string =>
  attempt === 1 ? base : `${base.slice(0, maxLabel - String(attempt).length - 1)}-${attempt}`;

const maxLabel = 63;

/** Type of a service as it is announced, of a word of `mdns.service`: `http`, `_http._tcp`, `_ntp._udp`. */
export function serviceType(word: string): string | undefined {
  const match = /^_?([A-Za-z0-9-][A-Za-z0-9_-]{0,14}[A-Za-z0-9]|[A-Za-z0-9])(?:\._?(tcp|udp))?(?:\.local)?\.?$/i.exec(
    word,
  );
  return match ? `_${match[1]?.toLowerCase()}._${match[2]?.toLowerCase() ?? 'tcp'}.local` : undefined;
}

const addressOf = (claim: Claim): DnsRecord => ({
  name: hostOf(claim),
  type: 'A',
  ttl: hostTtlSeconds,
  flush: true,
  data: claim.ip,
});

const srvOf = (claim: Claim, service: ServiceClaim): DnsRecord => ({
  name: instanceOf(claim, service),
  type: 'SRV',
  ttl: hostTtlSeconds,
  flush: true,
  data: { port: service.port, target: hostOf(claim) },
});

const txtOf = (claim: Claim, service: ServiceClaim): DnsRecord => ({
  name: instanceOf(claim, service),
  type: 'TXT',
  ttl: serviceTtlSeconds,
  flush: true,
  data: service.txt,
});

const ptrOf = (claim: Claim, service: ServiceClaim): DnsRecord => ({
  name: service.type,
  type: 'PTR',
  ttl: serviceTtlSeconds,
  data: instanceOf(claim, service),
});

const listOf = (service: ServiceClaim): DnsRecord => ({
  name: serviceListName,
  type: 'PTR',
  ttl: serviceTtlSeconds,
  data: service.type,
});

/** Unique records: only this module may publish them under these names. */
const uniqueOf = (claim: Claim): readonly DnsRecord[] => [
  addressOf(claim),
  ...claim.services.flatMap((service) => [srvOf(claim, service), txtOf(claim, service)]),
];

/** Everything that the module says of itself. Without services only its address. */
const recordsOf = (claim: Claim): readonly DnsRecord[] => [
  ...uniqueOf(claim),
  ...claim.services.flatMap((service) => [ptrOf(claim, service), listOf(service)]),
];

/** A probe: asks whether another host has the names already (RFC 6762, 8.1). */
export const probeOf = (claim: Claim): DnsMessage => ({
  ...blankQuery,
  questions: [hostOf(claim), ...claim.services.map((service) => instanceOf(claim, service))].map((name) => ({
    name,
    type: 'ANY',
  })),
  authorities: uniqueOf(claim).filter(({ type }) => type !== 'TXT'),
});

/** An unsolicited response to all hosts (RFC 6762, 8.3). */
export const announcementOf = (claim: Claim): DnsMessage => ({ ...blankResponse, answers: recordsOf(claim) });

/** Takes it all back (RFC 6762, 10.1). */
export const goodbyeOf = (claim: Claim): DnsMessage => ({
  ...blankResponse,
  answers: recordsOf(claim).map((record) => ({ ...record, ttl: 0 })),
});

const fits = (question: DnsQuestion, record: DnsRecord): boolean =>
  sameName(question.name, record.name) && (question.type === 'ANY' || question.type === record.type);

const sameRecord = (one: DnsRecord, other: DnsRecord): boolean =>
  one.type === other.type && sameName(one.name, other.name) && JSON.stringify(one.data) === JSON.stringify(other.data);

/** There is no record of another type for the name: a querier need not wait for one (RFC 6762, 6.1). */
const denialOf = (claim: Claim): DnsRecord => ({
  name: hostOf(claim),
  type: 'NSEC',
  ttl: hostTtlSeconds,
  flush: true,
  data: { nextDomain: hostOf(claim), rrtypes: ['A'] },
});

/** Additional records, which would be requested next (RFC 6763, 12). */
function alongWith(claim: Claim, answers: readonly DnsRecord[]): readonly DnsRecord[] {
  const along = claim.services.flatMap((service) => {
    const instance = instanceOf(claim, service);
    const listed = answers.some(({ type, data }) => type === 'PTR' && data === instance);
    return listed ? [srvOf(claim, service), txtOf(claim, service)] : [];
  });
  const needsAddress = [...answers, ...along].some(({ type }) => type === 'SRV');
  const records = needsAddress ? [...along, addressOf(claim)] : along;
  return records.filter((record) => !answers.some((answer) => sameRecord(answer, record)));
}

/** An answer, and whether others may be about to give theirs to the same question. */
interface MdnsAnswer {
  readonly message: DnsMessage;
  readonly shared: boolean;
}

/** The answer to a query; `undefined` when there is nothing to say, or the asker knows it already. */
export function answerTo(claim: Claim, query: DnsMessage): MdnsAnswer | undefined {
  const records = recordsOf(claim);
  const matching = query.questions.flatMap((question) => {
    const found = records.filter((record) => fits(question, record));
    return found.length === 0 && sameName(question.name, hostOf(claim)) ? [denialOf(claim)] : found;
  });
  // What the asker will still know for half of its time need not be said (RFC 6762, 7.1).
  const isKnown = (record: DnsRecord): boolean =>
    query.answers.some((answer) => sameRecord(answer, record) && answer.ttl * 2 >= record.ttl);
  const answers = [...new Set(matching)].filter((record) => !isKnown(record));
  if (answers.length === 0) return undefined;
  const message = { ...blankResponse, answers, additionals: alongWith(claim, answers) };
  return { message, shared: answers.some(({ flush }) => !flush) };
}

/** A querier that knows only plain DNS gets its question back, with short times to live (RFC 6762, 6.7). */
export const legacyAnswer = (answer: DnsMessage, query: DnsMessage): DnsMessage => {
  const plain = (record: DnsRecord): DnsRecord => ({ ...record, flush: false, ttl: Math.min(record.ttl, 10) });
  const { id, questions } = query;
  return {
    ...answer,
    id,
    questions,
    answers: answer.answers.map(plain),
    additionals: answer.additionals.map(plain),
  };
};

/** Whether records of another host claim a name of the claim. Identical records do not conflict. */
export function isContested(claim: Claim, records: readonly DnsRecord[]): boolean {
  const own = uniqueOf(claim).filter(({ type }) => type !== 'TXT');
  return records.some(
    (record) =>
      record.ttl > 0 &&
      own.some((mine) => mine.type === record.type && sameName(mine.name, record.name)) &&
      !own.some((mine) => sameRecord(mine, record)),
  );
}

const addressBytes = (ip: string): Buffer => Buffer.from(ip.split('.').map(Number));

/** Of two who ask for a name at the same time the higher address gets it (RFC 6762, 8.2). */
export function losesTo(claim: Claim, rival: DnsMessage): boolean {
  const theirs = rival.authorities.find(({ type, name }) => type === 'A' && sameName(name, hostOf(claim)));
  if (theirs?.type !== 'A') return false;
  return Buffer.compare(addressBytes(claim.ip), addressBytes(theirs.data)) < 0;
}
