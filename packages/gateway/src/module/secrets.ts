import type { Named, Setting } from './reports.ts';
import { isSecretName, isSecretValue } from './secret-names.ts';

/** Shortest value of a password that is looked for elsewhere, in characters; shorter ones stand in any text. */
const minSoughtLength = 6;

/** Longest value of which a text is searched, in characters; a longer one is a file. */
const maxSoughtLength = 1024;

/** Most values that are sought. */
const maxSought = 1_000;

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** A name with a value, as texts and files write them; blank lines are not looked through from each of them. */
const forms: readonly RegExp[] = [
  // JSON and its like.
  /"([^"\r\n]{1,80})"[^\S\r\n]*:[^\S\r\n]*"?((?:[^"\\\r\n,}]|\\.)+)/g,
  // A line of its own: `name = value`, `name[0]: value`; not one of a program, which goes on.
  /(?:^|[\r\n])[^\S\r\n]*(?:[^\s>]*> )?["']?([A-Za-z][\w.-]{0,80})["']?(?:[ \t]?[[(]?\w{1,4}[\])]?)?[^\S\r\n]*[:=][^\S\r\n]*["']?([^\r\n]*[^\s"',;{([])["']?[^\S\r\n]*(?=[\r\n]|$)/g,
  /<([\w:.-]{1,80})>([^<\s][^<]*)<\//g,
  /\bname="([^"]{1,80})"[^>\r\n]*\bvalue="([^"]+)"/g,
  /[?&]([\w.-]{1,80})=([^&\s"'<>]+)/g,
  // What stands there whatever its name is.
  /:\/\/([^\s:/@"']{0,80}):([^\s:/@"']+)@/g,
  /\b(Authorization):[^\S\r\n]*\w+[^\S\r\n]+([^\s"']+)/gi,
];

/** Forms whose value is a secret whatever its name is. */
const alwaysSecret: ReadonlySet<RegExp> = new Set(forms.slice(-2));

/** A line of a text of settings: a name, an index perhaps, and anything behind it. */
const settingLine =
  /^\s*(?:[^\s>]*> )?["'|]?\s*([A-Za-z][\w./-]{0,80})["']?(?:[ \t]?[[(]?\w{1,4}[\])]?)?\s*(?:->|[:=,|\s])\s*(.+)$/;

/** Lines that set a variable. */
const setLine = /(?:^|[\r\n])[^\S\r\n]*(?:[^\s>]*> )?set[^\S\r\n]+([^\r\n]+)/g;

interface Found {
  readonly name: string;
  readonly value: string;
}

const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/, '$1');

/** Ways to write a value. */
function spellings(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    bytes.toString('latin1'),
    JSON.stringify(value).slice(1, -1),
    value.replaceAll('"', '""'),
    encodeURIComponent(value),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
}

/** What a filter learns passwords of. */
export interface SecretSources {
  readonly variables: readonly Named[];
  readonly settings: readonly Setting[];
  /** Texts and files that may name some, in Latin-1. */
  readonly texts: readonly string[];
  /** Values that are names of files are none. */
  readonly fileNames?: ReadonlySet<string>;
}

/**
 * Knows what of a module is a password, key or token: by names, which it need not have seen, and by values that have been
 * found to be one elsewhere. Whatever goes into an archive, a backup or a log without passwords passes it.
 */
export class SecretFilter {
  readonly #calls: readonly string[];
  readonly #fileNames: ReadonlySet<string>;
  readonly #sought: readonly string[];

  constructor({ variables, settings, texts, fileNames = new Set() }: SecretSources) {
    this.#fileNames = fileNames;
    const secret = variables.filter(({ name }) => isSecretName(name));
    this.#calls = secret.flatMap(({ name, shortcut }) => [name, shortcut]).filter((call) => call !== '');
    const values = settings.filter((one) => this.isSecret(one)).map(({ value }) => value);
    for (const text of texts) values.push(...this.#foundIn(text).map(({ value }) => value));
    // A factory's "password" is a word of names.
    const isWord = (value: string): boolean => variables.some(({ name }) => name.includes(value));
    const long = values
      .map(unquoted)
      .filter((value) => value.length >= minSoughtLength && value.length <= maxSoughtLength && !isWord(value));
    this.#sought = [...new Set([...new Set(long)].slice(0, maxSought).flatMap(spellings))];
  }

  /** Whether a variable holds a password. */
  isSecret({ name, value }: Setting): boolean {
    return isSecretName(name.split(' ', 1)[0] ?? '') && isSecretValue(name, value) && !this.#fileNames.has(value);
  }

  /** Why a content is left out; `undefined` of one in which no password is found. */
  why(content: Uint8Array | string): string | undefined {
    const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1');
    if (privateKey.test(text)) return 'it is a private key';
    if (this.#foundIn(text).length > 0) return 'it sets a password';
    return this.holds(text) ? 'a password stands in it' : undefined;
  }

  /** Whether one of the values stands in a text, in any spelling. */
  holds(text: string): boolean {
    return this.#sought.some((value) => text.includes(value));
  }

  /** A text whose lines keep their places; what is a password, or holds one, is taken out. Calls `onLine` with what it is of. */
  lines(text: string, onLine: (name: string) => void = () => {}): string {
    let isKey = false;
    let isSecretTable = false;
    return text
      .split('\n')
      .map((line) => {
        if (line.startsWith('!')) isSecretTable = line.split(/\s+/).some(isSecretName);
        isKey ||= privateKey.test(line);
        const isRow = isSecretTable && line.startsWith('#');
        const found = isKey || isRow ? undefined : this.#setBy(line);
        if (!isKey && !isRow && !found && !this.holds(line)) return line;
        if (/-----END [A-Z ]*PRIVATE KEY-----/.test(line)) isKey = false;
        const head = /^[\w.-]+(?: \w+)?\s*[:=]\s?/.exec(line)?.[0] ?? '';
        onLine(found?.name ?? head.replace(/\s*[:=]\s*$/, ''));
        return isKey || isRow || this.holds(head) ? '' : head;
      })
      .join('\n');
  }

  /** The secret that a line of a text has; it may have a name that stands in front of anything. */
  #setBy(line: string): Found | undefined {
    const [, name = '', value = ''] = settingLine.exec(line) ?? [];
    if (this.isSecret({ name, value: unquoted(value) })) return { name, value };
    const [found = this.#foundIn(unquoted(value))[0]] = this.#foundIn(line);
    return found && { ...found, name };
  }

  /** Names with values that are secret, as a text has them. */
  #foundIn(text: string): readonly Found[] {
    const found: Found[] = [];
    for (const form of forms) {
      for (const [, name = '', value = ''] of text.matchAll(form)) {
        const isOne = alwaysSecret.has(form) ? value.length > 1 : this.isSecret({ name, value: unquoted(value) });
        if (isOne) found.push({ name, value: unquoted(value) });
      }
    }
    for (const [, rest = ''] of text.matchAll(setLine)) {
      const words = rest.replaceAll(/\s+/g, ' ');
      const known = this.#calls.find((call) => words.startsWith(`${call} `));
      const name = known ?? words.split(' ', 1)[0] ?? '';
      const value = unquoted(words.slice(name.length));
      if (known === undefined ? this.isSecret({ name, value }) : isSecretValue('password', value))
        found.push({ name, value });
    }
    return found;
  }
}

/** A text of a module as a log, a message or an attribute may have it: a password that it names is taken out. */
export const withoutNamedSecrets = (text: string): string =>
  new SecretFilter({ variables: [], settings: [], texts: [text] }).lines(text);
