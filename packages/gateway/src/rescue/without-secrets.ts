import { SecretFilter } from '../module/secrets.ts';
import { type Archive, packArchive, type RescuedFile, type Texts } from './archive.ts';

/** Longest file of which passwords are learnt, in bytes; in a longer one they are looked for. */
const maxLearntBytes = 262_144;

/**
 * An archive without the passwords of the one given: every text and file that is in it passes one filter, which judges names that it
 * has never seen. What has been taken out is listed.
 */
export function withoutSecrets(archive: Archive): Archive {
  const { settings, variables, texts, files } = archive;
  const latin1 = files.flatMap(({ content }) =>
    content && content.length <= maxLearntBytes ? [Buffer.from(content).toString('latin1')] : [],
  );
  const fileNames = new Set(files.map(({ name }) => name));
  const filter = new SecretFilter({ variables, settings, texts: [texts.settings, ...latin1], fileNames });
  const unread = [...archive.unread];
  const leaveOut = (what: string, why: string): void => {
    if (!unread.some((known) => known.what === what)) unread.push({ what: what.slice(0, 256), why, kind: 'secret' });
  };
  const shown = settings.map((setting) => {
    const { name, value } = setting;
    const why = value === '' ? undefined : filter.isSecret(setting) ? 'it is a password' : filter.why(value);
    if (why === undefined) return setting;
    leaveOut(name, why);
    return { name, value: '' };
  });
  const onLine = (name: string): void =>
    leaveOut(name === '' ? 'rows of tables in "get all"' : name, 'a password stands in it');
  const clean: Texts = {
    settings: filter.lines(texts.settings, onLine),
    commands: valuesOut(filter, texts.commands),
    variables: valuesOut(filter, texts.variables),
    listing: valuesOut(filter, texts.listing),
  };
  const kept = files.flatMap((file): RescuedFile[] => {
    if (filter.holds(file.name)) {
      leaveOut('a file', 'a password stands in its name');
      return [];
    }
    const why = file.content && filter.why(file.content);
    if (why === undefined) return [file];
    leaveOut(file.name, why);
    return [{ ...file, content: undefined }];
  });
  const { texts: _texts, files: _files, ...facts } = { ...archive, settings: shown, unread };
  const swept = valuesSwept(filter, facts);
  return { ...swept, secrets: 'left-out', texts: clean, files: kept };
}

/**
 * What an archive that was made without passwords holds of them all the same, by a filter that knew fewer names: its clean form, and
 * what has been taken out. `undefined` of one that holds none, or was asked to have them.
 */
export function cleaned(
  archive: Archive,
): { readonly archive: Archive; readonly found: readonly string[] } | undefined {
  if (archive.secrets === 'included') return undefined;
  const clean = withoutSecrets(archive);
  if (Buffer.compare(packArchive(archive), packArchive(clean)) === 0) return undefined;
  const known = new Set(archive.unread.map(({ what }) => what));
  return { archive: clean, found: clean.unread.flatMap(({ what }) => (known.has(what) ? [] : [what])) };
}

const valuesOut = (filter: SecretFilter, text: string): string =>
  text
    .split('\n')
    .map((line) => (filter.holds(line) ? '' : line))
    .join('\n');

/** Every text within a value, wherever it stands, without those that hold a password. */
const valuesSwept = <T>(filter: SecretFilter, value: T): T =>
  JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === 'string' && filter.holds(part) ? '' : part,
  ) as T;
