import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { junitOf } from './junit.ts';
import { parseScript } from './parse.ts';
import { type CaseResult, runCase } from './run.ts';
import { stepKinds } from './steps.ts';

async function run(text: string): Promise<readonly CaseResult[]> {
  const cases = parseScript(text);
  if (!cases.ok) throw new Error(cases.error);
  const results = [];
  for (const one of cases.value) results.push(await runCase(one));
  return results;
}

const guide = readFileSync(new URL('../../../../docs/guide/scripts.md', import.meta.url), 'utf8');

test.each(['first-commands', 'lost-link', 'pins'])('example %s passes, and the guide names it', async (name) => {
  const text = readFileSync(new URL(`../../../../examples/${name}.script`, import.meta.url), 'utf8');
  for (const { failed } of await run(text)) expect(failed).toBeUndefined();
  expect(guide).toContain(`examples/${name}.script`);
});

test('the scripts of the guide pass', async () => {
  const scripts = [...guide.matchAll(/^```script\n(.*?)^```/gms)];
  expect(scripts.length).toBeGreaterThan(0);
  for (const [, text = ''] of scripts) for (const { failed } of await run(text)) expect(failed).toBeUndefined();
});

test('the guide has every step', () => {
  for (const { usage } of stepKinds) for (const text of usage) expect(guide).toContain(`\`${text}\``);
});

test('every kind of step does something', async () => {
  const passed = await run(`
    send gpio_dir 22 out
    expect "Set OK" within 1 s
    run gpio_set 22 1
    expect pin 22 high within 1 s
    pin 7 1.65 V
    send adc 7
    expect /^0x0800$/
    send file_create a 3
    type "\\xff\\n\\\\"
    expect "File created"
    cut power for 2 s
    expect "[Ready]"
    send file_stat a
    expect /^3,/
    expect no "Ready" for 1 min
    reset
    expect "[Ready]"
    fault Hard Fault
    expect "[Ready]"
    network down
    send ping -g
    expect "failed" within 1 min
    network up
    link down
    link up
    wait 1.5 h
  `);
  expect(passed[0]?.failed).toBeUndefined();
  expect(passed[0]?.ms).toBe(5_400_000 + 62_000);
});

test('a case ends with the step that fails, and the next has a module of its own', async () => {
  const results = await run(
    'case a\nsend set wlan.ssid x\npin 99 high\nreset\ncase b\nsend get wlan.ssid\nexpect no "x" for 1 s',
  );
  expect(results[0]?.failed?.step).toMatchObject({ line: 3, text: 'pin 99 high' });
  expect(results[0]?.failed?.message).toMatch(/99/);
  expect(results[0]?.transcript).not.toContain('reset');
  expect(results[1]?.failed).toBeUndefined();
});

test('results as JUnit XML are well formed, whatever the module prints', () => {
  const step = { line: 3, text: 'expect "<&>"', act: () => {} };
  const xml = junitOf('a "b".script', [
    { name: 'one <1>', ms: 1_500, transcript: '> a & b\u0000\u001b[K' },
    { name: 'two', ms: 250, transcript: ']]>', failed: { step, message: '"<&>" did not come\nat all' } },
  ]);
  expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" errors="0" skipped="0" time="1.750">
  <testsuite name="a &#34;b&#34;.script" tests="2" failures="1" errors="0" skipped="0" time="1.750">
    <testcase classname="a &#34;b&#34;.script" name="one &#60;1&#62;" time="1.500">
      <system-out>&#62; a &#38; b[K</system-out>
    </testcase>
    <testcase classname="a &#34;b&#34;.script" name="two" time="0.250" file="a &#34;b&#34;.script" line="3">
      <failure type="ExpectationError" message="&#34;&#60;&#38;&#62;&#34; did not come&#10;at all">
a &#34;b&#34;.script:3: expect &#34;&#60;&#38;&#62;&#34;
&#34;&#60;&#38;&#62;&#34; did not come
at all
      </failure>
      <system-out>]]&#62;</system-out>
    </testcase>
  </testsuite>
</testsuites>
`);
});
