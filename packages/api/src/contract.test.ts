import { expect, test } from 'vitest';
import { contract, deviceListenerContract, doorRoutesContract, endpointsOf } from './contract.ts';
import type { EndpointShape } from './endpoint.ts';

const entries = Object.entries<Readonly<Record<string, EndpointShape>>>(contract).flatMap(([resource, beside]) =>
  Object.entries(beside).map(([action, shape]) => ({ name: `${resource}.${action}`, shape, beside })),
);

const nameless = (path: string): string => path.replace(/\{[^}]*\}/g, '{}');

// API-RULE-audit-1
test('every endpoint that changes something says what the audit keeps of it, or why nothing', () => {
  const silent = entries.filter(({ shape }) => shape.method !== 'GET' && !shape.audit);
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('what an entry says of the audit is there: the parameter, and the GET that reads the same thing', () => {
  const wrong = entries.flatMap(({ name, shape: { method, path, audit }, beside }) => {
    if (method === 'GET' || !audit || 'none' in audit) return [];
    const { id, read } = audit;
    if (id?.startsWith('params.') && !path.includes(`{${id.slice('params.'.length)}}`)) return [`${name}: ${id}`];
    const reader = read === undefined ? undefined : beside[read];
    const reads = reader?.method === 'GET' && `${nameless(path)}/`.startsWith(`${nameless(reader.path)}/`);
    return read === undefined || reads ? [] : [`${name}: ${read}`];
  });
  expect(wrong).toEqual([]);
});

// API-LIMIT-writes
test('whatever a device writes has a rate, and what it reads has none but the polls of clients', () => {
  const entries = endpointsOf({ ...deviceListenerContract, ...doorRoutesContract });
  const changing = entries.filter(({ shape: { method, auth } }) => method !== 'GET' && auth !== 'none');
  expect(changing.filter(({ shape }) => shape.writes === undefined).map(({ name }) => name)).toEqual([]);
  const reading = entries.filter(({ shape: { method, writes } }) => method === 'GET' && writes !== undefined);
  expect(reading.map(({ name }) => name)).toEqual(['ddi.base', 'ddi.bundle', 'mender.nextOfQuery']);
});
