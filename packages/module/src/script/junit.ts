import type { CaseResult } from './run.ts';

/** Characters that XML 1.0 cannot have are left out; the others stand as they are, or as entities. */
const escaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The same for text between tags, where line ends stay. */
const body = (text: string): string => escaped(text).replaceAll('&#10;', '\n').replaceAll('&#9;', '\t');

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** Results of a script as JUnit XML. Times are those of the module, so the same script gives the same file. */
export function junitOf(file: string, results: readonly CaseResult[]): string {
  const failures = results.filter(({ failed }) => failed).length;
  const total = seconds(results.reduce((sum, { ms }) => sum + ms, 0));
  const counts = `tests="${results.length}" failures="${failures}" errors="0" skipped="0" time="${total}"`;
  const cases = results.flatMap(({ name, failed, ms, transcript }) => [
    `    <testcase classname="${escaped(file)}" name="${escaped(name)}" time="${seconds(ms)}"${
      failed ? ` file="${escaped(file)}" line="${failed.step.line}"` : ''
    }>`,
    ...(failed
      ? [
          `      <failure type="ExpectationError" message="${escaped(failed.message)}">`,
          body(`${file}:${failed.step.line}: ${failed.step.text}\n${failed.message}`),
          '      </failure>',
        ]
      : []),
    `      <system-out>${body(transcript)}</system-out>`,
    '    </testcase>',
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escaped(file)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}
