import { chmod, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file for its user alone, whole or not at all, in a folder that is made. */
export async function writeOwn(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}.new`;
  const file = await open(fresh, 'w', 0o600);
  try {
    // A file that a crash has left behind keeps the mode that it was made with.
    await chmod(fresh, 0o600);
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
}
