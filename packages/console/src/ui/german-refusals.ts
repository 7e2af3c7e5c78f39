import { type ErrorCode, errors } from '@moorage/api';
import { blanksInGerman, problemsInGerman } from '../texts/blanks-de.ts';
import { messagesInGerman } from '../texts/refusals-de.ts';
import { stateName } from '../texts/states.ts';

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(errors, code);
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What is wrong with a value, as the rest of a sentence about its field; as it is where there is no German for it. */
export function problemInGerman(problem: string): string {
  const known = problemsInGerman.find(([english]) => english.test(problem));
  return known ? problem.replace(...known).replaceAll(' or ', ' oder ') : problem;
}

/** What the service has put into a blank: the name of a thing, alone or with the one that is meant, or a state. */
function blankInGerman(name: string, text: string): string {
  if (name === 'problem') return problemInGerman(text);
  if (name === 'state' || name === 'from' || name === 'to') return stateName(text);
  const [, thing = text, meant] = /^(.+?) "(.*)"$/s.exec(text) ?? [];
  const german = blanksInGerman[thing];
  if (german === undefined) return text;
  return meant === undefined ? german : `${german} „${meant}“`;
}

/**
 * The message of the service in German. What the service has put into the blanks of its text is put into those of the
 * German one; a message that is not made of the text of its code stays as it is.
 */
export function inGerman(code: string, message: string): string {
  if (!isKnown(code)) return message;
  const parts = errors[code].message.split(/\{(\w+)\}/);
  const blanks = parts.filter((_, at) => at % 2 === 1);
  const pattern = parts.map((part, at) => (at % 2 === 0 ? escaped(part) : '(.*)')).join('');
  const found = new RegExp(`^${pattern}$`, 's').exec(message);
  if (!found) return message;
  return messagesInGerman[code].replace(/\{(\w+)\}/g, (blank, name: string) => {
    const text = found[blanks.indexOf(name) + 1];
    return text === undefined ? blank : blankInGerman(name, text);
  });
}
