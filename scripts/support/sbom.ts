// Bills of materials, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/): what the lock file names, and nothing else.
import { createHash } from 'node:crypto';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The entries of a package-lock.json, by their folders. */
export type Lock = Readonly<Record<string, Locked>>;

export interface Component {
  readonly type: 'library' | 'application' | 'container';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly scope?: 'required' | 'optional';
  readonly licenses?: readonly { readonly license: { readonly name: string } }[];
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
}

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;

/** The folder in which a package finds another one, as Node looks for it; that of the workspace where it is a link. */
function folderOf(lock: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    const found = lock[place];
    if (found) return found.link ? found.resolved : place;
    if (folder === '') return undefined;
  }
}

const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

function componentOf(folder: string, { version = '', integrity, license }: Locked, optional: boolean): Component {
  const name = nameOf(folder);
  const purl = purlOf(name, version);
  const sum = /^sha512-(\S+)/.exec(integrity ?? '')?.[1];
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    scope: optional ? 'optional' : 'required',
    ...(license !== undefined && { licenses: [{ license: { name: license } }] }),
    ...(sum !== undefined && { hashes: [{ alg: 'SHA-512', content: Buffer.from(sum, 'base64').toString('hex') }] }),
  };
}

export interface Subject {
  readonly type: 'library' | 'application' | 'container';
  readonly name: string;
  readonly version: string;
  /** Folders of the lock whose dependencies it has, such as a workspace. */
  readonly workspaces: readonly string[];
  /** Names of what it takes from npm beside these, or alone. */
  readonly needs: readonly string[];
  readonly optional: readonly string[];
  /** What is in it beside packages of npm. */
  readonly others?: readonly Component[];
}

/** The bill of materials of a package or an image: everything from npm that is in it or is installed with it. */
export function billOf(subject: Subject, lock: Lock): object {
  const components = new Map<string, Component>();
  const dependsOn = new Map<string, Set<string>>();
  const ownRef =
    subject.type === 'container' ? `${subject.name}:${subject.version}` : purlOf(subject.name, subject.version);
  const open: { readonly folder: string; readonly ref: string; readonly optional: boolean }[] = [];
  const visited = new Set<string>();

  const need = (name: string, from: string, ref: string, optional: boolean): void => {
    const folder = folderOf(lock, name, from);
    const locked = folder === undefined ? undefined : lock[folder];
    // What is optional may be for another system, and has no entry then.
    if (folder === undefined || locked === undefined) return;
    if (!folder.includes('node_modules/')) {
      // A workspace is part of what it is bundled into.
      open.push({ folder, ref, optional });
      return;
    }
    const component = componentOf(folder, locked, optional);
    const known = components.get(component['bom-ref']);
    if (!known || (known.scope === 'optional' && !optional)) components.set(component['bom-ref'], component);
    dependsOn.set(ref, (dependsOn.get(ref) ?? new Set()).add(component['bom-ref']));
    open.push({ folder, ref: component['bom-ref'], optional });
  };

  for (const folder of subject.workspaces) open.push({ folder, ref: ownRef, optional: false });
  for (const name of subject.needs) need(name, '', ownRef, false);
  for (const name of subject.optional) need(name, '', ownRef, true);
  for (let next = open.pop(); next; next = open.pop()) {
    const key = `${next.folder} ${next.optional}`;
    if (visited.has(key)) continue;
    visited.add(key);
    const { dependencies = {}, optionalDependencies = {} } = lock[next.folder] ?? {};
    for (const name of Object.keys(dependencies)) need(name, next.folder, next.ref, next.optional);
    for (const name of Object.keys(optionalDependencies)) need(name, next.folder, next.ref, true);
  }
  const all = [...components.values(), ...(subject.others ?? [])].sort((a, b) =>
    a['bom-ref'] < b['bom-ref'] ? -1 : 1,
  );
  const dependencies = [ownRef, ...all.map((each) => each['bom-ref'])].map((ref) => ({
    ref,
    dependsOn: [...(dependsOn.get(ref) ?? [])].sort(),
  }));
  const own = { type: subject.type, 'bom-ref': ownRef, name: subject.name, version: subject.version };
  const content = { metadata: { component: own }, components: all, dependencies };
  // The same bill has the same number: a build that is done again gives the same bytes.
  const sum = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const serial = `${sum.slice(0, 8)}-${sum.slice(8, 12)}-5${sum.slice(13, 16)}-8${sum.slice(17, 20)}-${sum.slice(20, 32)}`;
  return { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: `urn:uuid:${serial}`, version: 1, ...content };
}
