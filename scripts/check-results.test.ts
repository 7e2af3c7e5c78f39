import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { findDroppedResults } from './check-results.ts';

const head = `
type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };
declare global {
  interface Promise<T> { then<R>(next: (value: T) => R): Promise<R> }
  interface Array<T> { length: number; map<R>(make: (value: T) => R): R[]; forEach(each: (value: T) => void): void }
  interface ReadonlyArray<T> { length: number }
}
declare function now(): Result<number, string>;
declare function later(): Promise<Result<number, string>>;
declare function all<T>(values: readonly T[]): Promise<T[]>;
declare function unwrap<T>(result: Result<T, string>): T;
declare function done(): Promise<void>;
declare const list: number[];
declare let kept: Result<number, string>;
export async function work() {
`;

/** Lines of the body that drop a result, counted from 1. */
function droppedIn(body: string): number[] {
  const path = '/a.ts';
  const source = ts.createSourceFile(path, `${head}${body}\n}`, ts.ScriptTarget.ES2022, true);
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    getSourceFile: (name) => (name === path ? source : undefined),
    fileExists: (name) => name === path,
  };
  const program = ts.createProgram([path], { noLib: true, strict: true, target: ts.ScriptTarget.ES2022 }, host);
  return findDroppedResults(program, (name) => name === path).map(({ line }) => line - head.split('\n').length + 1);
}

describe('dropped results', () => {
  it.each([
    ['a call', 'now();'],
    ['an awaited call', 'await later();'],
    ['a call that is not awaited', 'later();'],
    ['a call behind void', 'void later();'],
    ['an awaited call behind void', 'void (await later());'],
    ['a call under a condition', 'kept.ok && now();'],
    ['several calls at once', 'await all([now(), now()]);'],
    ['a call in a callback whose value is not wanted', 'list.forEach(() => now());'],
  ])('are found: %s', (_, body) => expect(droppedIn(body)).toEqual([1]));

  it.each([
    ['a result that is looked at', 'if (!now().ok) return;'],
    ['one that is handed on', 'return later();'],
    ['one that is unwrapped', 'unwrap(await later());'],
    ['one that is kept', 'kept = now();'],
    ['results that are collected', 'return list.map(() => now());'],
    ['a promise of nothing', 'await done();'],
  ])('are not %s', (_, body) => expect(droppedIn(body)).toEqual([]));
});
