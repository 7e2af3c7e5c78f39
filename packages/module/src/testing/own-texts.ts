import { errors } from '@moorage/api';
import { failureTexts } from '@moorage/device';
import { neutralTexts } from '../texts/texts.ts';

/** What stands for a blank whose value is no sentence: no spaces, so that nothing foreign hides in it. */
const word = String.raw`[^\s]*`;

/** Blanks that may hold more than a word. */
const wide: Readonly<Record<string, string>> = {
  service: String.raw`[\w ]+`,
  problem: String.raw`(is not an? (number|string|text)|is longer than 128 characters|is too large|is (under|over) \S+)`,
};

const quoted = (text: string): string => text.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);

const patternOf = (text: string, blanks: Readonly<Record<string, string>> = {}): string =>
  text
    .split(/(\{\w+\})/)
    .map((part) =>
      /^\{\w+\}$/.test(part) ? (blanks[part.slice(1, -1)] ?? wide[part.slice(1, -1)] ?? word) : quoted(part),
    )
    .join('');

const any = (patterns: readonly string[]): string => `(?:${patterns.join('|')})`;

/** Sentences of a capabilities file's reader, of the HTTP client and of the message channel: ours, below the module. */
const lowerWords = [
  'no JSON',
  String.raw`over \d+ bytes`,
  String.raw`(/\S*) (must (be|have|not have) ["\w<>=., -]+|does not fit|has a form that is not allowed)`,
  String.raw`The range of "\S+" is (too large|empty)`,
  String.raw`The default of "\S+" ${wide.problem}`,
  String.raw`"\S+" is both a stream and a control`,
  String.raw`The service answered with status \d+`,
  'The reply is not (JSON|HTTP)',
  String.raw`The (reply|file) (is over|ends at byte|does not begin at byte) \d+( bytes)?`,
  'the message channel is not open',
  'the service does not answer',
];

/** Rows of the service's table whose text is not the service's own. */
const passedOn: readonly string[] = ['INVALID_REQUEST'] satisfies readonly (keyof typeof errors)[];

const serviceWords = Object.entries(errors)
  .filter(([code]) => !passedOn.includes(code))
  .map(([, { message }]) => patternOf(message, { what: String.raw`[\w ]+`, action: String.raw`[\w ]+` }));

const sentence = any([...Object.values(failureTexts).map((text) => patternOf(text)), ...serviceWords, ...lowerWords]);

const bare = Object.entries(neutralTexts).filter(([, { text }]) => text === '{text}');
const nested = (text: string): boolean => /\{(detail|reason)\}/.test(text);
const said = Object.values(neutralTexts).map(({ text }) => text);
const simple = any([
  ...said.filter((text) => text !== '{text}' && !nested(text)).map((text) => patternOf(text)),
  ...(bare.some(([key]) => key === 'mailAnswer') ? [String.raw`[2-5]\d\d[ -][\x20-\x7e]*`] : []),
  sentence,
]);
const notice = String.raw`\[[^\]]*\]`;
const own = new RegExp(
  `^${any([simple, notice, ...said.filter(nested).map((text) => patternOf(text, { detail: simple, reason: simple }))])}$`,
);

/** Those of the lines that are not made of the module's own texts. */
export const foreignAmong = (lines: readonly string[]): readonly string[] => lines.filter((line) => !own.test(line));
