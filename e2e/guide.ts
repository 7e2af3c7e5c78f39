import { readFile } from 'node:fs/promises';

/** The blocks of a guide in this language, in their order. */
export async function blocksOf(guide: string, language: string): Promise<string[]> {
  const text = await readFile(new URL(`../docs/guide/${guide}`, import.meta.url), 'utf8');
  return Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')), ([, block]) => block ?? '');
}

/** At the head of a script: what it has started ends with it. */
export const endJobs = "trap 'jobs -p | xargs -r kill -9 2>/dev/null || true' EXIT";
