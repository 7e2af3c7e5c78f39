// Which requirement is implemented where, which test proves it, and whether all that is cited is there. `--all` prints every one; alone it prints sums.
import { allVariables } from '../packages/module/src/variables/index.ts';
import { findBrokenCitations } from './citations.ts';
import {
  coverRequirements,
  findFamiliesInTests,
  findUnknownIds,
  isSpecIndex,
  type Place,
  parseIndex,
} from './coverage.ts';
import { readProject, report } from './support/project.ts';
import { findUnreadVariables } from './support/readers.ts';
import { readTableFacts } from './support/tables.ts';

const files = readProject();
const index = files.find(({ path }) => isSpecIndex(path));
if (!index) throw new Error('docs/spec-index.md is missing');
const requirements = parseIndex(index.text);
const rows = coverRequirements(requirements, files, readTableFacts(files));

const placeText = (places: readonly Place[]): string =>
  places.length ? places.map(({ path, line }) => `${path}:${line}`).join(', ') : '-';

const built = rows.filter(({ implemented }) => implemented.length);
const unproven = built.filter(({ proven }) => !proven.length);
if (process.argv.includes('--all')) {
  for (const { requirement, implemented, proven } of rows)
    console.log(`${requirement.id}\n  implemented: ${placeText(implemented)}\n  proven: ${placeText(proven)}`);
} else if (process.argv.includes('--unproven')) {
  for (const { requirement, implemented } of unproven) console.log(`${requirement.id}  ${placeText(implemented)}`);
}
const inert = rows.filter((row) => row.inert !== undefined);
console.log(
  `${rows.length} requirements: ${built.length} implemented, ${built.length - unproven.length} of them proven by a test, ` +
    `${inert.length} without effect, ${rows.length - built.length - inert.length} not built yet`,
);
report('spec coverage', [
  ...findUnknownIds(requirements, files),
  ...findFamiliesInTests(files),
  ...findBrokenCitations(files, requirements),
  ...findUnreadVariables(allVariables, files),
]);
