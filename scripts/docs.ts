// `npm run docs [-- --base /PATH/]` builds the documentation as a static site into dist/docs, and fails on a link that leads nowhere.
// The tool that builds it is in site/, with a lock of its own, and is installed when it is first needed.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openRecords } from '@moorage/service/tables';
import { buildApp } from '@moorage/service/testing/index';
import { type OpenApi, openApiPages } from './support/openapi-pages.ts';
import { readProject, root } from './support/project.ts';
import { sidebarOf, sitePages } from './support/site.ts';
import { findDeadLinks, readSite } from './support/site-links.ts';

const site = join(root, 'site');
const built = join(root, 'dist', 'docs');

/** npm leaves a copy of the lock where it has installed; ours is compared by its text. */
function ensureTool(): void {
  const lock = readFileSync(join(site, 'package-lock.json'), 'utf8');
  const mark = join(site, 'node_modules', '.installed-lock');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  console.error('moorage: installing what builds the site (once per clone, under a minute) …');
  execFileSync('npm', ['ci', '--loglevel=error'], { cwd: site, stdio: ['ignore', 2, 2] });
  writeFileSync(mark, lock);
}

/** The OpenAPI document, of a service that keeps nothing. */
async function readOpenApi(): Promise<OpenApi> {
  const storage = await openRecords('sqlite::memory:');
  const app = await buildApp(storage);
  const document: OpenApi = (await app.api.inject('/openapi.json')).json();
  await app.service.close();
  await storage.close();
  return document;
}

async function writePages(base: string): Promise<void> {
  const folder = join(site, 'dist', 'pages');
  rmSync(folder, { recursive: true, force: true });
  const document = await readOpenApi();
  const pages = new Map([...sitePages(readProject()), ...openApiPages(document)]);
  for (const [place, text] of pages) {
    const path = join(folder, place);
    mkdirSync(dirname(path), { recursive: true });
    if (place.endsWith('.md')) writeFileSync(path, text);
    else cpSync(join(root, text), path);
  }
  const asIs = join(folder, 'public');
  mkdirSync(asIs, { recursive: true });
  writeFileSync(join(asIs, 'openapi.json'), `${JSON.stringify(document, null, 1)}\n`);
  cpSync(join(root, 'packages', 'console', 'public', 'icon.svg'), join(asIs, 'icon.svg'));
  writeFileSync(join(site, 'dist', 'site.json'), JSON.stringify({ base, sidebar: sidebarOf(pages) }));
}

async function buildSite(base: string): Promise<void> {
  ensureTool();
  await writePages(base);
  rmSync(built, { recursive: true, force: true });
  const tool = join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  execFileSync(process.execPath, [tool, 'build', site], { stdio: ['ignore', 2, 2] });
  const files = readSite(built);
  const dead = findDeadLinks(files, base);
  for (const line of dead) console.log(line);
  const pages = [...files.keys()].filter((path) => path.endsWith('.html')).length;
  console.log(
    dead.length > 0 ? `docs: ${dead.length} dead links` : `${pages} pages in dist/docs, every link leads somewhere`,
  );
  if (dead.length > 0) process.exitCode = 1;
}

const { base } = parseArgs({ options: { base: { type: 'string', default: '/' } } }).values;
if (/^\/([\w.-]+\/)*$/.test(base)) await buildSite(base);
else {
  console.error(`--base is "${base}", not a path such as /moorage/`);
  process.exitCode = 2;
}
