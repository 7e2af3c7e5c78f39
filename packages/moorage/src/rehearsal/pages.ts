import type { Condition } from './fail-if.ts';
import { failingRuns } from './fail-if.ts';
import { measure, metricNames, metrics, type Report } from './report.ts';
import type { Run } from './run.ts';
import { comparedHeads, comparedRows, endText, failuresOf, gateWaitOf, spanText, spreadText } from './texts.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as markup has it. What XML cannot have at all becomes a space. */
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '').replace(/\p{Cc}/gu, ' ');

const row = (cells: readonly (string | number)[], tag = 'td'): string =>
  `<tr>${cells.map((cell) => `<${tag}>${typeof cell === 'number' ? cell : escaped(cell)}</${tag}>`).join('')}</tr>`;

const chartWidth = 480;
const barHeight = 18;

/** When each stage was open. */
function chartOf({ ended_s, stages }: Run): string {
  const at = (seconds: number): number => Math.round((chartWidth * seconds) / Math.max(1, ended_s));
  const bars = stages.flatMap(({ opened_s, passed_s, ready_s }, index) => {
    if (opened_s === null) return [];
    const bar = (from: number, to: number, kind: string): string =>
      `<rect class="${kind}" x="${at(from)}" y="${index * barHeight + 2}" width="${Math.max(1, at(to) - at(from))}" height="${barHeight - 4}"/>`;
    const end = passed_s ?? ended_s;
    return [bar(opened_s, ready_s ?? end, 'work'), ...(ready_s === null ? [] : [bar(ready_s, end, 'wait')])];
  });
  const height = stages.length * barHeight;
  return `<svg viewBox="0 0 ${chartWidth} ${height}" width="${chartWidth}" height="${height}" role="img" aria-label="Stages over ${spanText(ended_s)}">${bars.join('')}</svg>`;
}

function runSection(run: Run): string {
  const rows = run.stages.map((stage, index) => {
    const opened = stage.opened_s === null ? 'not' : spanText(stage.opened_s);
    const held = gateWaitOf(stage);
    return row([index + 1, stage.devices, stage.done, stage.failed, opened, held === null ? '' : spanText(held)]);
  });
  const failures = failuresOf(run).map((line) => `<li>${escaped(line)}</li>`);
  return `<h2>Seed ${escaped(run.seed)}: ${escaped(endText(run))}</h2>
${chartOf(run)}
<table>${row(['Stage', 'Devices', 'Done', 'Failed', 'Opened', 'Gate held'], 'th')}${rows.join('')}</table>
${failures.length > 0 ? `<ul>${failures.join('')}</ul>` : ''}`;
}

const style = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #8886}
.work{fill:#2a6fb8}.wait{fill:#c98a1b}h2{font-size:1.1rem;margin-top:2rem}`;

/** A report as one page that needs nothing else. */
export function reportHtml(report: Report): string {
  const { assumed, bundle, compared, devices, runs, spread, title } = report;
  const rows = metricNames.map((metric) => row([metric, spreadText(metric, spread[metric]), metrics[metric].help]));
  const others = comparedRows(report).map((cells) => row(cells));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rehearsal: ${escaped(title)}</title>
<style>${style}</style>
<h1>Rehearsal: ${escaped(title)}</h1>
<p>Bundle ${escaped(bundle)} on ${devices} twins, ${runs.length} runs. Blue: devices update; amber: a gate holds.</p>
${assumed.map((line) => `<p>Taken for granted: ${escaped(line)}</p>`).join('\n')}
<table>${row(['', 'Mean (range)', ''], 'th')}${rows.join('')}</table>
${compared.length > 0 ? `<h2>Which settings matter</h2>\n<table>${row(comparedHeads, 'th')}${others.join('')}</table>` : ''}
${runs.map(runSection).join('\n')}
</html>
`;
}

/** What a build server reads: a test for each condition and run. */
export function reportJunit({ runs, title }: Report, conditions: readonly Condition[]): string {
  const cases = conditions.flatMap((condition) => {
    const failing = new Set(failingRuns(condition, runs));
    return runs.map((run) => {
      const name = `not ${condition.text}, seed ${run.seed}`;
      const value = measure(condition.metric, run) ?? 'never';
      const failed = failing.has(run) && `<failure message="${escaped(`${condition.metric} is ${value}`)}"/>`;
      const time = `time="${run.ended_s}"`;
      return `  <testcase classname="rehearsal" name="${escaped(name)}" ${time}>${failed || ''}</testcase>`;
    });
  });
  const failures = conditions.reduce((sum, condition) => sum + failingRuns(condition, runs).length, 0);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="${escaped(title)}" tests="${cases.length}" failures="${failures}">
${cases.join('\n')}
</testsuite>
`;
}
