import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where `npm run dev` finds a service. */
const service = 'http://127.0.0.1:8080';

/** Puts each text file packed beside itself, once for all clients. The best level of Brotli would double the time of the build. */
function packedFiles(): Plugin {
  let folder = '';
  return {
    name: 'packed-files',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    closeBundle() {
      for (const { parentPath, name } of readdirSync(folder, { withFileTypes: true, recursive: true })) {
        if (!/\.(html|js|css|json|svg)$/.test(name)) continue;
        const path = join(parentPath, name);
        const bytes = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), packedFiles()],
  build: {
    // No address of data inside the files: the content security policy and the cache both know them by name.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: { '/api': service } },
});
