import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guides = ['add-a-command', 'add-a-variable', 'add-a-view', 'add-a-table-column', 'add-an-endpoint'];

/** For a check that hangs: a machine that does other things meanwhile takes minutes for its types. */
const checkTimeoutMs = 1_800_000;

/** A block of a guide that names its language and, unless it holds commands, the file that it is for. */
interface Block {
  readonly language: string;
  readonly file: string | undefined;
  readonly text: string;
}

function blocksOf(guide: string): readonly Block[] {
  const text = readFileSync(join(root, 'docs', 'guide', `${guide}.md`), 'utf8');
  const found = text.matchAll(/^( *)```(\w+)(?: file=(\S+))?\n(.*?)^ *```$/gms);
  return Array.from(found, ([, indent = '', language = '', file, body = '']) => ({
    language,
    file,
    text: body.replaceAll(new RegExp(`^ {0,${indent.length}}`, 'gm'), ''),
  }));
}

/** Whether a line of a file is what a guide shows; `…` at the end stands for any rest. */
const isShown = (line: string | undefined, shown: string): boolean =>
  shown.endsWith('…') ? (line ?? '').startsWith(shown.slice(0, -1).trimEnd()) : line === shown;

/** A file with one part of a diff applied; what the part takes for given stands in the file once. */
function applyHunk(file: string, hunk: string): string {
  const lines = file.split('\n');
  const steps = hunk.split('\n').map((line) => ({ sign: line[0] ?? ' ', text: line.slice(1) }));
  const given = steps.filter(({ sign }) => sign !== '+').map(({ text }) => text);
  const starts = lines.flatMap((_, at) => (given.every((text, index) => isShown(lines[at + index], text)) ? at : []));
  const [start = 0] = starts;
  expect(starts, `places for\n${hunk}`).toHaveLength(1);
  let next = start;
  const made = steps.flatMap(({ sign, text }) => {
    if (sign === '+') return text;
    next += 1;
    return sign === '-' ? [] : (lines[next - 1] ?? '');
  });
  return [...lines.slice(0, start), ...made, ...lines.slice(next)].join('\n');
}

function apply(folder: string, { language, file = '', text }: Block): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  const hunks = language === 'diff' ? text.trimEnd().split(/\n@@\n/) : [];
  const made = hunks.length === 0 ? text : hunks.reduce(applyHunk, readFileSync(path, 'utf8'));
  writeFileSync(path, made, { flag: hunks.length === 0 ? 'wx' : 'w' });
}

/** A copy of the repository on the packages that are installed; those of the workspace are the copy's own. */
function copyRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-contributing-'));
  const skipped = /^data$|(^|\/)(node_modules|\.git|coverage|dist)$/;
  cpSync(root, folder, { recursive: true, filter: (path) => !skipped.test(path.slice(root.length)) });
  const link = (from: string, to: string, skip: readonly string[] = []): void => {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) if (!skip.includes(name)) symlinkSync(join(from, name), join(to, name));
  };
  link(join(root, 'node_modules'), join(folder, 'node_modules'), ['@moorage', 'moorage', '.vite', '.cache']);
  mkdirSync(join(folder, 'node_modules', '@moorage'));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules', '@moorage', name));
  link(join(root, 'packages', 'console', 'node_modules'), join(folder, 'packages', 'console', 'node_modules'));
  return folder;
}

/** The commands of all guides, each once: in the order in which they are last named, tests of all in one run. */
function commandsOf(blocks: readonly Block[]): readonly string[] {
  const named = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trimEnd().split('\n'));
  const last = named.filter((line, at) => named.lastIndexOf(line) === at);
  const start = 'npm test -- ';
  const tests = last.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
  return [...last.filter((line) => !line.startsWith(start)), start + tests.join(' ')];
}

describe('the guides for contributors', () => {
  let folder: string;
  beforeAll(() => {
    folder = copyRepository();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('work as they stand, on a copy of the repository', { timeout: checkTimeoutMs }, async () => {
    const blocks = guides.flatMap(blocksOf);
    for (const block of blocks.filter(({ file }) => file !== undefined)) apply(folder, block);
    // Newer than its sources: the tests that run here open no page, and need not wait for the console.
    mkdirSync(join(folder, 'packages/console/dist'));
    writeFileSync(join(folder, 'packages/console/dist/index.html'), '');
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV)/.test(name)));
    for (const command of commandsOf(blocks)) {
      // Rejects with everything that was printed when a command fails.
      await promisify(execFile)('sh', ['-c', command], { cwd: folder, env }).catch(({ stdout, stderr }) => {
        throw new Error(`${command}\n${stdout}\n${stderr}`);
      });
    }
  });
});
