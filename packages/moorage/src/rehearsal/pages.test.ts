import { unwrap } from '@moorage/base';
import { expect, it } from 'vitest';
import { runOf } from '../testing/rehearsal-run.ts';
import { parseConditions } from './fail-if.ts';
import { reportHtml, reportJunit } from './pages.ts';
import { reportOf, spreadsOf } from './report.ts';
import { reportText } from './texts.ts';

const about = { title: 'A <b>"bold"</b> & \u0007 one', bundle: '1.0.0.1', devices: 100, assumed: ['Nobody is asked'] };
const stop = { state: 'aborted', reason: '3 of <4>', at_s: 60, stage: 0, reached: 3 } as const;
const failures = [{ kind: 'boot', group: '<pier>', stage: 0, devices: 3 }];
const runs = [runOf(), runOf({ seed: '2', state: 'aborted', stop, done: 1, failed: 3, failures })];
const compared = [{ settings: 'half_pace', spread: spreadsOf([runOf({ nearly_all_s: 36_000 })]) }] as const;
const report = reportOf(about, runs, compared);

it('a page of a report has no markup of others, and needs no network', () => {
  const html = reportHtml(report);
  expect(html).toContain('<h1>Rehearsal: A &lt;b&gt;&quot;bold&quot;&lt;/b&gt; &amp;   one</h1>');
  expect(html).toContain('<li>3 of &lt;pier&gt; in stage 1: boot</li>');
  expect(html).not.toMatch(/https?:|<script|<link|src=/);
});

it('a report compares the settings with others, where it was asked to', () => {
  expect(reportHtml(report)).toMatch(
    /<h2>Which settings matter<\/h2>\n<table>.*<td>half the pace<\/td>.*<td>10 h<\/td>/,
  );
  expect(reportText(report)).toMatch(/^half the pace +100 % +0 % +0 % +not +10 h +3 *$/m);
  expect(reportHtml(reportOf(about, runs))).not.toContain('Which settings matter');
  expect(reportText(reportOf(about, runs))).not.toContain('these settings');
});

it('results of tests have a case for each condition and run, with why it fails', () => {
  const conditions = unwrap(parseConditions('done < 50%, nearly_all > 1h'));
  const xml = reportJunit(report, conditions);
  expect(xml).toContain('tests="4" failures="3"');
  expect(xml).toContain('name="not done &lt; 50%, seed 2" time="7200"><failure message="done is 1"/></testcase>');
  expect(xml).toContain('name="not done &lt; 50%, seed 1" time="7200"></testcase>');
  expect(xml).toContain('<failure message="nearly_all is never"/>');
});

it('a report has the mean and the range of what came in all runs', () => {
  expect(report.spread.done).toEqual({ least: 1, mean: 50.5, most: 100 });
  expect(report.spread.nearly_all).toEqual({ least: null, mean: null, most: null });
  expect(report.spread.reached_before_abort).toEqual({ least: 0, mean: 1.5, most: 3 });
  const text = reportText(report);
  expect(text).toMatch(/^done +50.5 % \(1 to 100 %\) /m);
  expect(text).toMatch(/^Seed 2: aborted after 2 h: 3 of <4>$/m);
  expect(text).toContain('Taken for granted: Nobody is asked');
  expect(text).not.toContain('\u0007');
});
