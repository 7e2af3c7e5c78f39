// Writes every generated document.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderAll } from './generators/index.ts';
import { readProject, root } from './support/project.ts';

const made = renderAll(readProject());
const folder = join(root, 'docs', 'generated');
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!made.has(`docs/generated/${name}`)) rmSync(join(folder, name));
for (const [path, text] of made) writeFileSync(join(root, path), text);
console.log(`wrote ${[...made.keys()].join(', ')}`);
