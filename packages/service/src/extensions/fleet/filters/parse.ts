import { filterLimit, type Refusal, refusal } from '@moorage/api';
import { dayMs, failure, freeVersionKey, hourMs, minuteMs, type Result, success, unwrap } from '@moorage/base';
import { type ComparisonNode, type ExpressionNode, isComparisonNode, isLogicNode } from '@rsql/ast';
import { parse } from '@rsql/parser';
import { type Field, fieldOf, knownFields } from './fields.ts';

/** Most comparisons in a filter. */
const comparisonLimit = 50;

export type Order = 'lt' | 'le' | 'gt' | 'ge';

/** A moment: epoch ms, or as many ms from now. */
export type Moment = { readonly atMs: number } | { readonly fromNowMs: number };

/** What a value is held against. */
export type Test =
  /** Any of these texts, in which `*` stands for any characters. */
  | { readonly by: 'text'; readonly patterns: readonly string[] }
  | { readonly by: 'number'; readonly order: Order; readonly value: number }
  | { readonly by: 'version'; readonly order: Order; readonly value: string }
  | { readonly by: 'time'; readonly order: Order; readonly value: Moment };

/** A condition over devices. */
export type Filter =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'is' | 'not'; readonly field: Field; readonly test: Test };

const orders: Readonly<Record<string, Order>> = {
  '<': 'lt',
  '=lt=': 'lt',
  '<=': 'le',
  '=le=': 'le',
  '>': 'gt',
  '=gt=': 'gt',
  '>=': 'ge',
  '=ge=': 'ge',
};

const equalities: Readonly<Record<string, 'is' | 'not'>> = { '==': 'is', '!=': 'not', '=in=': 'is', '=out=': 'not' };

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
  w: 604_800_000,
};

/** A moment in a filter: `-7d`, epoch milliseconds, or a date with or without a time. */
function momentOf(text: string): Moment | undefined {
  const relative = /^([+-]\d{1,6})([smhdw])$/.exec(text);
  if (relative) return { fromNowMs: Number(relative[1]) * (unitMs[relative[2] ?? ''] ?? 0) };
  if (/^\d{1,16}$/.test(text)) return { atMs: Number(text) };
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : { atMs };
}

/** What an ordering compares, or what is wrong with its value. */
function orderTest(field: Field, order: Order, text: string): Result<Test, string> {
  if (field.kind === 'time') {
    const value = momentOf(text);
    if (value) return success({ by: 'time', order, value });
    return failure(`"${text}" is no moment, such as -7d or 2026-01-31T12:00Z`);
  }
  if (field.in === 'device') return failure(`"${field.name}" has no order`);
  const isNumber = field.kind !== 'version' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text);
  if (isNumber && field.in === 'attributes') return success({ by: 'number', order, value: Number(text) });
  const value = field.in === 'attributes' ? freeVersionKey(text) : undefined;
  if (value !== undefined) return success({ by: 'version', order, value });
  return failure(field.in === 'labels' ? 'labels have no order' : `"${text}" is neither a number nor a version`);
}

/** The condition of one comparison, or what is wrong with it. */
function comparisonOf(field: Field, operator: string, values: readonly string[]): Result<Filter, string> {
  const order = orders[operator];
  const [value = ''] = values;
  if (order !== undefined) {
    if (values.length !== 1) return failure(`${operator} takes one value`);
    const test = orderTest(field, order, value);
    return test.ok ? success({ kind: 'is', field, test: test.value }) : test;
  }
  const kind = equalities[operator];
  if (kind === undefined) return failure(`the operator ${operator} is unknown`);
  const isList = operator === '=in=' || operator === '=out=';
  if (!isList && values.length !== 1)
    return failure(`${operator} takes one value; use ${kind === 'is' ? '=in=' : '=out='}`);
  if (field.kind === 'time' && (isList || value !== '*')) {
    return failure('a time is compared with =lt=, =le=, =gt= and =ge=; == and != take * alone');
  }
  return success({ kind, field, test: { by: 'text', patterns: values } });
}

const comparisonsOf = (node: ExpressionNode): ComparisonNode[] =>
  isLogicNode(node) ? [...comparisonsOf(node.left), ...comparisonsOf(node.right)] : [node as ComparisonNode];

/** The refusal of a filter, with the place in the text: the first character is at 1. */
function wrong(text: string, position: number, problem: string): Result<never, Refusal> {
  const where = position > text.length ? 'its end' : `position ${position}`;
  const blanks = { where, problem };
  return failure(refusal('INVALID_FILTER', blanks, { source: 'body', keys: ['filter'] }));
}

/** The syntax tree of a text. Refusal: INVALID_FILTER. */
function treeOf(text: string): Result<ExpressionNode, Refusal> {
  try {
    return success(parse(text));
  } catch (error) {
    // The parser throws what is wrong with the text.
    const message = error instanceof Error ? error.message : '';
    const problem = /^(Unexpected character '.'|Unclosed quote)/su.exec(message)?.[1] ?? 'something is missing';
    const position = problem === 'something is missing' ? undefined : /at position (\d+)/.exec(message)?.[1];
    return wrong(text, position === undefined ? text.length + 1 : Number(position), problem);
  }
}

/** Where a selector is in a text, from a place on: an operator follows it there, unlike a value of the same spelling. */
function placeOf(text: string, selector: string, from: number): number {
  for (let at = text.indexOf(selector, from); at >= 0; at = text.indexOf(selector, at + 1)) {
    if (/^\s*[=!<>]/.test(text.slice(at + selector.length))) return at;
  }
  return from;
}

/**
 * Reads a filter in RSQL. Refusal: INVALID_FILTER, with the place in the text. Spec: API-RULE-filter-1.
 *
 * @param source the part of the request that has it, as `filter`
 */
export function parseFilter(text: string, source: 'body' | 'query' = 'body'): Result<Filter, Refusal> {
  const filter = readFilter(text);
  return filter.ok ? filter : failure({ ...filter.error, validation: { source, keys: ['filter'] } });
}

const kept = new Map<string, Filter>();
const keptLimit = 1_000;

/** A filter that is kept, which has been read before. The same text is not parsed again. */
export function keptFilter(text: string): Filter {
  const known = kept.get(text);
  if (known) return known;
  const filter = unwrap(readFilter(text));
  if (kept.size >= keptLimit) kept.clear();
  kept.set(text, filter);
  return filter;
}

function readFilter(text: string): Result<Filter, Refusal> {
  if (text.length > filterLimit) return wrong(text, filterLimit + 1, `it has more than ${filterLimit} characters`);
  const tree = treeOf(text);
  if (!tree.ok) return tree;
  const all = comparisonsOf(tree.value);
  if (all.length > comparisonLimit) return wrong(text, 1, `it has more than ${comparisonLimit} comparisons`);
  const made = new Map<ExpressionNode, Filter>();
  let at = 0;
  for (const node of all) {
    const { selector } = node.left;
    // In the order of the text, so that each is found at its own place.
    at = placeOf(text, selector, at);
    const field = fieldOf(selector);
    if (!field) {
      const known = [...Object.keys(knownFields), 'version', 'attribute.NAME', 'label.NAME'].join(', ');
      return wrong(text, at + 1, `"${selector}" is unknown; there are ${known}`);
    }
    const values = typeof node.right.value === 'string' ? [node.right.value] : node.right.value;
    const comparison = comparisonOf(field, node.operator, values);
    if (!comparison.ok) return wrong(text, at + 1, comparison.error);
    made.set(node, comparison.value);
    at += selector.length;
  }
  return success(filterOf(tree.value, made));
}

/** The tree with its comparisons made, chains of the same operator flattened. */
function filterOf(node: ExpressionNode, made: ReadonlyMap<ExpressionNode, Filter>): Filter {
  const known = made.get(node);
  if (known || isComparisonNode(node)) return known ?? { kind: 'all', of: [] };
  const kind = node.operator === ';' || node.operator === 'and' ? 'all' : 'any';
  const sides = [filterOf(node.left, made), filterOf(node.right, made)];
  return { kind, of: sides.flatMap((side) => (side.kind === kind ? side.of : [side])) };
}
