// `npm run release -- --dry-run` builds what a release publishes into dist/release and shows it: packages, bills of materials,
// check sums. Without --dry-run it publishes the packages by npm.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { type Published, published } from './packages.ts';
import { readDockerfile } from './support/dockerfile.ts';
import { folderOf, libraryDeclarations, partsOf, writePackage } from './support/packaging.ts';
import { root } from './support/project.ts';
import { nextVersion } from './support/release-version.ts';
import { billOf, type Lock } from './support/sbom.ts';

const folder = join(root, 'dist', 'release');
const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
const optional = Object.keys(manifest.optionalDependencies);
/** What is bundled into the program. */
const workspaces = ['packages/moorage', 'packages/console'];

const versionOf = ({ workspace }: Published): string | undefined => lock[`packages/${workspace}`]?.version;

function billOfPackage(one: Published, version: string): object {
  if (one.roots) return billOf({ type: 'application', name: one.name, version, workspaces, needs: [], optional }, lock);
  const needs = [...partsOf(one).external];
  return billOf({ type: 'library', name: one.name, version, workspaces: [], needs, optional: [] }, lock);
}

/** The image has the program, the Node that it brings, and a base whose own packages its maker lists. */
function billOfImage(version: string): object {
  const [, from = ''] = readDockerfile(readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8')).map(
    (stage) => stage.from,
  );
  const [name = '', tag = ''] = from.split(':');
  const base = { type: 'container', 'bom-ref': from, name, version: tag } as const;
  return billOf(
    { type: 'container', name: 'moorage', version, workspaces, needs: optional, optional: [], others: [base] },
    lock,
  );
}

function writeChecksums(): void {
  const lines = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

async function buildRelease(version: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const declarations = libraryDeclarations(published);
  for (const one of published) {
    await writePackage(one, folderOf(one), declarations);
    console.log(`built ${one.name} ${version}`);
    const bill = `${one.name.replace('@', '').replace('/', '-')}-${version}.cdx.json`;
    writeFileSync(join(folder, bill), `${JSON.stringify(billOfPackage(one, version), null, 2)}\n`);
  }
  writeFileSync(join(folder, `image-${version}.cdx.json`), `${JSON.stringify(billOfImage(version), null, 2)}\n`);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, ...published.map(folderOf)], {
    stdio: 'ignore',
  });
  writeChecksums();
}

const fail = (message: string): void => {
  console.error(message);
  process.exitCode = 1;
};

async function release(dry: boolean): Promise<void> {
  const next = nextVersion(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), manifest.version);
  if (!next.ok) return fail(next.error);
  const { version, open } = next.value;
  console.log(`The changelog asks for version ${version}${open ? ', whose entries are still under "Unreleased"' : ''}`);
  const others = published.filter((one) => versionOf(one) !== version);
  for (const one of others) console.log(`packages/${one.workspace}/package.json says ${versionOf(one)}`);
  if (!dry && (open || others.length > 0))
    return fail('Give entries and packages that version first; nothing was published');
  // What was installed is what its publishers have signed; the lock stands for it from then on.
  const signatures = ['audit', 'signatures'];
  if (dry) console.log(`would run: npm ${signatures.join(' ')}`);
  else execFileSync('npm', signatures, { cwd: root, stdio: 'inherit' });
  console.log('building, which takes a minute …');
  await buildRelease(version);
  process.stdout.write(readFileSync(join(folder, 'SHA256SUMS'), 'utf8'));
  const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  for (const archive of archives) {
    const command = ['publish', '--access', 'public', ...(dry ? ['--dry-run'] : []), join(folder, archive)];
    if (dry) console.log(`would run: npm ${command.filter((word) => word !== '--dry-run').join(' ')}`);
    else execFileSync('npm', command, { stdio: 'inherit' });
  }
}

const unknown = process.argv.slice(2).find((word) => word !== '--dry-run');
if (unknown !== undefined) {
  console.error(`"${unknown}" is unknown; there is --dry-run`);
  process.exitCode = 2;
} else await release(process.argv.includes('--dry-run'));
