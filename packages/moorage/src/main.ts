import { enableCompileCache } from 'node:module';

// Compiled sources are kept between starts; the import comes after, so that they are found.
enableCompileCache();
const { run } = await import('./program.ts');
await run(process.argv);
