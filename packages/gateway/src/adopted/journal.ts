import { parseVersion, type Store, writeEntry } from '@moorage/base';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import type { Target } from '../module/converge.ts';
import { contentInMemory } from '../module/files.ts';

const Old = Type.Object({
  name: Type.String(),
  version: Type.String(),
  type: Type.Integer(),
  letters: Type.String(),
  /** Number of the content; absent where the module had no such file. */
  content: Type.Optional(Type.Integer()),
});

/** What a module held before a push, under each name that the push changes. */
const Journal = Type.Object({ bundleId: Type.String(), olds: Type.Array(Old) });
type Journal = Static<typeof Journal>;

const journalName = 'push';
const contentName = (content: number): string => `push/${content}`;

/** Keeps what a push is about to change: from here on it can be put back, whatever happens. */
export async function keepOld(store: Store, bundleId: string, olds: readonly Target[]): Promise<void> {
  const rows: Static<typeof Old>[] = [];
  for (const [content, { name, file }] of olds.entries()) {
    if (file) await writeEntry(store, contentName(content), await file.read(0, file.size));
    const { version = [1, 0, 0, 0], type = 0xfe, letters = '' } = file ?? {};
    rows.push({ name, version: version.join('.'), type, letters, ...(file && { content }) });
  }
  const journal: Journal = { bundleId, olds: rows };
  await writeEntry(store, journalName, Buffer.from(JSON.stringify(journal)));
}

/** Whether a push has not come to its end. */
export const isCut = async (store: Store): Promise<boolean> => (await store.read(journalName, 0, 1)) !== undefined;

/** What a push that has not come to its end has to put back; `undefined` when there is none. */
export async function oldOf(store: Store): Promise<readonly Target[] | undefined> {
  const bytes = await store.read(journalName);
  if (!bytes) return undefined;
  const journal: unknown = JSON.parse(Buffer.from(bytes).toString());
  if (!Value.Check(Journal, journal)) throw new Error('The journal of a push is not one of this gateway');
  const targets: Target[] = [];
  for (const { name, version, content: number, type, letters } of journal.olds) {
    const parsed = parseVersion(version);
    const content = number === undefined ? undefined : await store.read(contentName(number));
    const isThere = number !== undefined && content && parsed.ok;
    const read = async (start: number, end: number): Promise<Uint8Array> =>
      (await store.read(contentName(number ?? 0), start, end)) ?? new Uint8Array();
    const held = { name, ...contentInMemory(content ?? new Uint8Array()), read };
    targets.push({ name, file: isThere ? { ...held, version: parsed.value, type, letters } : undefined });
  }
  return targets;
}

/** The push has come to an end: nothing is to be put back any more. */
export async function forgetOld(store: Store): Promise<void> {
  await store.remove(journalName);
  for (const name of await store.names()) if (name.startsWith('push/')) await store.remove(name);
}
