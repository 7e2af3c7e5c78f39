/**
 * Makes the names in an open folder durable, as syncing a file does for its bytes. Windows has nothing of the kind and
 * refuses (EPERM): its file systems write names down by themselves.
 */
export async function syncFolder(
  handle: { readonly sync: () => Promise<void> },
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    if (platform !== 'win32') throw error;
  }
}
