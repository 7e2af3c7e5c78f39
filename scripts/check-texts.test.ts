import { describe, expect, test } from 'vitest';
import { literalTexts, untranslated } from './check-texts.ts';

const view = (text: string) => ({ path: 'packages/console/src/views/x.tsx', text });
const table = (text: string) => ({ path: 'packages/console/src/texts/x.ts', text });
const rules = (text: string) => literalTexts(view(text)).map(({ message }) => message.split('"')[1]);

describe('words in a view are found', () => {
  test.each([
    ['as content', 'const a = <p>No devices</p>;', ['No devices']],
    ['beside what is computed', 'const a = <p>{n} devices</p>;', ['devices']],
    ['in an expression', "const a = <p>{n === 1 ? 'one device' : t.many}</p>;", ['one device']],
    ['as a label', '<Field label="Serial number" />', ['Serial number']],
    ['in a template of a label', `<Field aria-label={\`Delete \${name}\`} />`, ['Delete']],
    ['behind a condition', "<Field error={false} title={bad && 'Too long'} />", ['Too long']],
    ['in a row of a table', "const columns = [{ key: 'state', title: 'State' }];", ['State']],
    ['in a list of columns', "<SmallTable columns={[t.a, 'Ends']} />", ['Ends']],
    ['in what a function says', "const row = { says: () => 'It is gone' };", ['It is gone']],
    ['in a notice', "notify('Saved');", ['Saved']],
  ])('%s', (_, text, found) => {
    expect(rules(text)).toEqual(found);
  });
});

describe('what is no word for a person is left alone', () => {
  test.each([
    ['a text of a table', '<Field label={t.serialNumber}>{t.none}</Field>'],
    ['a command', '<Code>set wlan.ssid harbour</Code>'],
    ['a name of the wire', '<Field label="UUID" placeholder="free_flash" />'],
    ['a property that nobody reads', '<Box className="nav link" key="first one" />'],
    ['a comparison', "const a = <p>{state === 'not there' ? t.a : t.b}</p>;"],
    ['what a call is given', "const a = <p>{word('not there')}</p>;"],
    ['signs and numbers', '<p>1 / 2 – …</p>'],
  ])('%s', (_, text) => {
    expect(rules(text)).toEqual([]);
  });
});

test.each([
  ["texts({ a: ['It is not there', 'It is not there'] })", 1],
  [`texts({ a: [(n) => \`\${n} is not there\`, (n) => \`\${n} is not there\`] })`, 1],
  ["texts({ a: ['It is not there', 'Es ist nicht da'] })", 0],
  [`texts({ a: ['Version', 'Version'], b: [(n) => \`Bundle \${n}\`, (n) => \`Bundle \${n}\`] })`, 0],
])('texts that were not translated in %s: %i', (text, count) => {
  expect(untranslated(table(text))).toHaveLength(count);
});
