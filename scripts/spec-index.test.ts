import { describe, expect, it } from 'vitest';
import { parseIndex } from './coverage.ts';
import { readProject } from './support/project.ts';

const text = readProject().find(({ path }) => path === 'docs/spec-index.md')?.text ?? '';
const [, service = '', module = '', references = ''] = text.split(/^# Part \d/m);

const count = (part: string, family: string): number =>
  parseIndex(part).filter(({ id }) => id.startsWith(family)).length;

describe('docs/spec-index.md', () => {
  it('has every endpoint row of the service: login, devices, products, bundles, user, and the rest', () => {
    expect(count(service, 'API-EP-')).toBe(1 + 14 + 14 + 6 + 10 + 10);
  });

  it('has every transition of a bundle', () => {
    expect(count(service, 'API-STATE-bundle-')).toBe(6);
  });

  it('has every command row of the module', () => {
    expect(count(module, 'MOD-CMD-')).toBe(34);
  });

  it('has every stream type, state transition, direction and download option', () => {
    const types = parseIndex(module).filter(({ id }) => /^MOD-STREAM-[A-Z]+$/.test(id));
    expect(types).toHaveLength(12);
    expect(count(module, 'MOD-STATE-')).toBe(6);
    expect(count(module, 'MOD-GPIO-dir-')).toBe(7);
    expect(count(module, 'MOD-DL-')).toBe(15);
  });

  it('has every variable that the module specification names', () => {
    expect(count(module, 'MOD-VAR-')).toBe(37 + 15);
  });

  it('has each id once, also over its parts', () => {
    expect(() => parseIndex(service + module + references)).not.toThrow();
  });
});
