import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { contract, type EndpointShape, isBinary } from '@moorage/api';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import Type from './src/api/schemas.ts';

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

/** What the client needs of an endpoint: how to call it, and whether bytes go or come. */
const callable = ({ method, path, auth, body, reply }: EndpointShape) => ({
  method,
  path,
  auth,
  ...(isBinary(body) && { body }),
  reply: isBinary(reply) ? reply : {},
});

/** The contract without its schemas, which only the service looks at: they are a fifth of all scripts otherwise. */
function contractWithoutSchemas(): Plugin {
  const rows = Object.entries<Readonly<Record<string, EndpointShape>>>(contract).map(([resource, endpoints]) => [
    resource,
    Object.fromEntries(Object.entries(endpoints).map(([action, shape]) => [action, callable(shape)])),
  ]);
  return {
    name: 'contract-without-schemas',
    apply: 'build',
    config: () => ({ resolve: { alias: { typebox: fileURLToPath(new URL('src/api/schemas.ts', import.meta.url)) } } }),
    load: {
      filter: { id: /packages\/api\/src\/contract\.ts$/ },
      handler: () => `export const contract = ${JSON.stringify(Object.fromEntries(rows))};`,
    },
  };
}

/** What the contract makes its schemas with. */
const schemaMakers = [
  ...Object.keys(Type).map((name) => `Type.${name}`),
  ...['endpoint', 'binary', 'fileEndpoints', 'IdOrEmpty', 'Nullable', 'optionalTimestamp', 'ruled', 'sortBy', 'spelt'],
  ...['Text', 'TimeQuery', 'Title'],
];

export default defineConfig({
  plugins: [react(), contractWithoutSchemas(), packedFiles()],
  build: {
    // No address of data inside the files: the content security policy and the cache both know them by name.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      treeshake: {
        // Whatever of the contract is not used goes: its files only make values.
        moduleSideEffects: [{ test: /packages\/(api|base)\//, sideEffects: false }],
        manualPureFunctions: schemaMakers,
        propertyReadSideEffects: false,
      },
    },
  },
  server: { proxy: { '/api': service } },
});
