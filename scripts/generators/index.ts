import type { ProjectFile } from '../support/project.ts';
import { renderAccess } from './access.ts';
import { renderCoverage } from './coverage.ts';
import { renderCommands, renderResponseCodes, renderVariables } from './module.ts';
import { renderPackages } from './packages.ts';
import { renderScenario, renderScenarioSchema } from './scenario.ts';
import { renderEndpoints, renderErrors } from './service.ts';
import { renderSettings } from './settings.ts';
import { renderSpecIndex } from './spec-index.ts';
import { renderStateMachines } from './state-machines.ts';

/** One generated document. */
interface Generator {
  readonly path: string;
  readonly render: (files: readonly ProjectFile[]) => string;
}

/** Every generated document. The spec index comes first: the coverage is made from it. */
export const generators: readonly Generator[] = [
  { path: 'docs/spec-index.md', render: renderSpecIndex },
  { path: 'docs/generated/errors.md', render: renderErrors },
  { path: 'docs/generated/endpoints.md', render: renderEndpoints },
  { path: 'docs/generated/access.md', render: renderAccess },
  { path: 'docs/generated/commands.md', render: renderCommands },
  { path: 'docs/generated/variables.md', render: renderVariables },
  { path: 'docs/generated/response-codes.md', render: renderResponseCodes },
  { path: 'docs/generated/settings.md', render: renderSettings },
  { path: 'docs/generated/scenario.md', render: renderScenario },
  { path: 'docs/generated/scenario.schema.json', render: renderScenarioSchema },
  { path: 'docs/generated/state-machines.md', render: renderStateMachines },
  { path: 'docs/generated/packages.md', render: renderPackages },
  { path: 'docs/generated/coverage.md', render: renderCoverage },
];

/** Makes every document from these files; each sees those made before it in place of the old ones. */
export function renderAll(files: readonly ProjectFile[]): Map<string, string> {
  const made = new Map<string, string>();
  let current = files;
  for (const { path, render } of generators) {
    const text = render(current);
    made.set(path, text);
    current = [...current.filter((file) => file.path !== path), { path, text }];
  }
  return made;
}
