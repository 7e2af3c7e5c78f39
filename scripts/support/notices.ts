import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Where a package finds another one, as Node looks for it. */
function folderOf(name: string, from: string): string | undefined {
  for (let folder = from; folder.startsWith(root.replace(/\/$/, '')); folder = join(folder, '..')) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return undefined;
}

const licenceFile = /^(licen[cs]e|copying|notice)/i;

/** Where a package has no text of its licence, what it says of it. */
function statedLicence({ license = 'no licence', author }: Manifest): string {
  const holder = typeof author === 'string' ? author : author?.name;
  return `It states ${license}${holder === undefined ? '' : `, by ${holder}`}, and comes without the text.`;
}

/** The licences of what folders have from npm, themselves included, each package once; `leftOut` with all that it needs. */
export function noticesOf(title: string, folders: readonly string[], leftOut: readonly string[] = []): string {
  const found = new Map<string, string>();
  const open = folders.map((folder) => join(root, folder));
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const manifest = manifestOf(folder);
    const { name, version, license = 'see its text', dependencies = {} } = manifest;
    const key = `${name} ${version}`;
    if (found.has(key) || leftOut.includes(name)) continue;
    const texts = readdirSync(folder).filter((file) => licenceFile.test(file));
    const text = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
    const isOurs = folder.startsWith(join(root, 'packages')) || name.startsWith('@moorage/');
    found.set(key, isOurs ? '' : `## ${key} (${license})\n\n${text || statedLicence(manifest)}\n`);
    for (const dependency of Object.keys(dependencies)) {
      const place = folderOf(dependency, folder);
      if (place !== undefined) open.push(place);
    }
  }
  const notices = [...found].sort(([a], [b]) => a.localeCompare(b, 'en')).map(([, notice]) => notice);
  return `# ${title}\n\n${notices.filter(Boolean).join('\n')}`;
}
