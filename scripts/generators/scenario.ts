import { Scenario } from '../../packages/fleet/src/scenario.ts';
import { code, page, table } from '../support/markdown.ts';

/** What the pages show of a schema. */
interface Shape {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

function valuesOf(shape: Shape): string {
  const { enum: words, exclusiveMinimum, maximum, maxItems, maxLength, minimum, pattern, type = '' } = shape;
  if (words) return words.map(code).join(', ');
  if (pattern !== undefined) return `${type}, a version of four parts`;
  const least = exclusiveMinimum === undefined ? `${minimum ?? 0}` : `more than ${exclusiveMinimum}`;
  if (maximum !== undefined) return `${type}, ${least} to ${maximum}`;
  if (maxLength !== undefined) return `${type}, up to ${maxLength} characters`;
  return maxItems === undefined ? type : `${type}, up to ${maxItems} items`;
}

/** A row for each key, those inside of it behind it. */
function rowsOf(shape: Shape, prefix: string): string[][] {
  return Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => {
    const path = `${prefix}${name}`;
    const needed = shape.required?.includes(name) ? 'yes' : '';
    const own = [code(path), valuesOf(inner), needed, inner.description ?? ''];
    const items = inner.items ? rowsOf(inner.items, `${path}[].`) : [];
    return [own, ...rowsOf(inner, `${path}.`), ...items];
  });
}

/** docs/generated/scenario.md: every key of a scenario of `moorage fleet`. */
export function renderScenario(): string {
  return page(
    'Scenario of a fleet',
    'What `moorage fleet --scenario FILE` takes: a JSON file, as [the guide](../guide/fleet.md) shows. Other keys are refused. ' +
      'The same as JSON Schema: [scenario.schema.json](scenario.schema.json).',
    table(['key', 'value', 'needed', 'meaning'], rowsOf(JSON.parse(JSON.stringify(Scenario)) as Shape, '')),
  );
}

/** docs/generated/scenario.schema.json, for editors and other programs. */
export const renderScenarioSchema = (): string =>
  `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Scenario of a fleet', ...Scenario }, null, 2)}\n`;
