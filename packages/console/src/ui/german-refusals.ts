import { type ErrorCode, errors } from '@moorage/api';
import { messagesInGerman } from '../texts/refusals-de.ts';

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(errors, code);
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * The message of the service in German. What the service has put into the blanks of its text is put into those of the
 * German one; a message that is not made of the text of its code stays as it is.
 */
export function inGerman(code: string, message: string): string {
  const german = isKnown(code) ? messagesInGerman[code] : undefined;
  if (!isKnown(code) || german === undefined) return message;
  const parts = errors[code].message.split(/\{(\w+)\}/);
  const blanks = parts.filter((_, at) => at % 2 === 1);
  const pattern = parts.map((part, at) => (at % 2 === 0 ? escaped(part) : '(.*)')).join('');
  const found = new RegExp(`^${pattern}$`, 's').exec(message);
  if (!found) return message;
  return german.replace(/\{(\w+)\}/g, (blank, name: string) => found[blanks.indexOf(name) + 1] ?? blank);
}
