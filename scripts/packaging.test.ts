import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { published } from './packages.ts';
import { writePackage } from './support/packaging.ts';
import { root } from './support/project.ts';

// The smallest, without its declarations, which take longest. All of them, and what they do: e2e/long/packages.test.ts.
describe('a library, packed and installed', () => {
  const folder = mkdtempSync(join(root, 'node_modules', '.packages-'));
  const installed = join(folder, 'node_modules', '@moorage', 'client');
  const manifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(async () => {
    const library = published.find(({ name }) => name === '@moorage/client');
    if (!library) throw new Error('There is no such package');
    const built = join(folder, 'built');
    await writePackage(library, built);
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, built]);
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, archive), '--strip-components=1', '-C', installed]);
    // As npm would: what the package names, and nothing else of this clone.
    for (const name of Object.keys(manifest().dependencies))
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  });

  test('it has its licence, notices, and a source map for each file', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'THIRD-PARTY-NOTICES.md', 'package.json']));
    const scripts = files.filter((file) => file.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(10);
    expect(scripts.filter((file) => !files.includes(`${file}.map`))).toEqual([]);
    expect(readFileSync(join(installed, 'THIRD-PARTY-NOTICES.md'), 'utf8')).toMatch(
      /^## typebox \d+\.\d+\.\d+ \(MIT\)\n[^#]*Permission is hereby granted/m,
    );
  });

  test('what it exports is there, and loads with what it names alone', async () => {
    const { exports, dependencies } = manifest();
    expect(Object.keys(exports)).toEqual(['.', './package.json']);
    expect(Object.keys(dependencies)).toEqual(['typebox']);
    expect(existsSync(join(installed, exports['./package.json']))).toBe(true);
    const { createClient } = await import(pathToFileURL(join(installed, exports['.'].default)).href);
    expect(createClient({ baseUrl: 'http://127.0.0.1:1' }).call).toBeTypeOf('function');
  });
});
