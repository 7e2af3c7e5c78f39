import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The blocks of a guide in this language, in their order. */
export async function blocksOf(guide: string, language: string): Promise<string[]> {
  const text = await readFile(new URL(`../docs/guide/${guide}`, import.meta.url), 'utf8');
  return Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')), ([, block]) => block ?? '');
}

/** Makes a folder look like a clone to the commands of a guide, as far as they need it. */
export async function linkClone(folder: string): Promise<void> {
  for (const name of ['node_modules', 'docs'])
    await symlink(fileURLToPath(new URL(`../${name}`, import.meta.url)), join(folder, name));
}

/** At the head of a script: what it has started ends with it. */
export const endJobs = "trap 'jobs -p | xargs -r kill -9 2>/dev/null || true' EXIT";
