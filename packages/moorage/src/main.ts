import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// What is written holds keys and passwords: records, flash files, backups and what they need on the way.
process.umask(0o077);
// Compiled sources are kept between starts; the import comes after, so that they are found. Not in the folder for
// temporary files, where another user could put others in their place.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url)));
const { run } = await import('./program.ts');
await run(process.argv);
