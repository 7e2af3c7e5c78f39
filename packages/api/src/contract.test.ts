import { expect, test } from 'vitest';
import { contract } from './contract.ts';
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
