/** What of a file decides where it goes. */
interface Dropped {
  readonly name: string;
  /** Where it was in a folder that was dropped or chosen whole. */
  readonly path?: string;
  readonly webkitRelativePath?: string;
}

/** The path of a dropped file in the store: below `folder`, and below its own folder when one was dropped whole. */
export function uploadPath(folder: string, { name, path, webkitRelativePath }: Dropped): string {
  const own = webkitRelativePath || path || name;
  return `${folder}/${own}`
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .join('/');
}

/** Which of the files there are will be written over. */
export function replacedBy(paths: readonly string[], known: readonly string[]): string[] {
  const coming = new Set(paths);
  return known.filter((path) => coming.has(path));
}
