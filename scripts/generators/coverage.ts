import { type Coverage, coverRequirements, type Place, parseIndex } from '../coverage.ts';
import { code, page, table } from '../support/markdown.ts';
import type { ProjectFile } from '../support/project.ts';
import { readTableFacts } from '../support/tables.ts';

// Paths without line numbers: an edit that moves a line must not change this document.
const placeText = (places: readonly Place[]): string => [...new Set(places.map(({ path }) => code(path)))].join(', ');

const familyOf = (id: string): string => id.split('-').slice(0, 2).join('-');

function summary(rows: readonly Coverage[]): string {
  const families = [...new Set(rows.map(({ requirement }) => familyOf(requirement.id)))];
  const counts = (name: string, part: readonly Coverage[]) => [
    name,
    String(part.length),
    String(part.filter(({ implemented }) => implemented.length).length),
    String(part.filter(({ proven }) => proven.length).length),
    String(part.filter(({ inert }) => inert !== undefined).length),
    String(part.filter(({ implemented, inert }) => !implemented.length && inert === undefined).length),
  ];
  return table(
    ['family', 'requirements', 'implemented', 'proven by a test', 'without effect', 'not built yet'],
    [
      ...families.map((family) =>
        counts(
          code(family),
          rows.filter(({ requirement }) => familyOf(requirement.id) === family),
        ),
      ),
      counts('all', rows),
    ],
  );
}

const implementedText = ({ implemented, inert }: Coverage): string => {
  if (implemented.length) return placeText(implemented);
  return inert === undefined ? 'not built yet' : `without effect: ${inert}`;
};

/** Floors of the service where a requirement is implemented; of the extensions, which. */
function floorText({ implemented }: Coverage): string {
  const floors = implemented.flatMap(({ path }) => {
    const [, extension, floor] =
      /^packages\/service\/src\/(?:extensions\/([a-z-]+)\/|(engine|core)\/)/.exec(path) ?? [];
    return extension ?? floor ?? [];
  });
  return [...new Set(floors)].join(', ');
}

/** docs/generated/coverage.md: the map of the work. */
export function renderCoverage(files: readonly ProjectFile[]): string {
  const index = files.find(({ path }) => path === 'docs/spec-index.md');
  const rows = coverRequirements(parseIndex(index?.text ?? ''), files, readTableFacts(files));
  return page(
    'Coverage of the specifications',
    'Every requirement of [the spec index](../spec-index.md), where it is implemented and which test proves it. **Floor**: where in the service it is implemented, `engine`, `core`, or an extension by its name. A setting without effect is kept and changes nothing.',
    summary(rows),
    table(
      ['id', 'requirement', 'floor', 'implemented at', 'proven by'],
      rows.map((row) => [
        code(row.requirement.id),
        // The text comes from a table cell, so its bars are escaped already.
        row.requirement.text.replaceAll('\\|', '|'),
        floorText(row),
        implementedText(row),
        placeText(row.proven) || (row.implemented.length ? 'no test yet' : ''),
      ]),
    ),
  );
}
