import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip as gzipCompress } from 'node:zlib';
import { contract, type EndpointShape, isBinary } from '@moorage/api';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import Type from './src/api/schemas.ts';

/** Where `npm run dev` finds a service. */
const service = 'http://127.0.0.1:8080';

const brotli = promisify(brotliCompress);
const gzip = promisify(gzipCompress);

/** Puts each text file packed beside itself, once for all clients. */
function packedFiles(): Plugin {
  let folder = '';
  return {
    name: 'packed-files',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    async closeBundle() {
      const files = readdirSync(folder, { withFileTypes: true, recursive: true });
      const texts = files.filter(({ name }) => /\.(html|js|css|json|svg|wasm)$/.test(name));
      await Promise.all(
        texts.map(async ({ parentPath, name }) => {
          const path = join(parentPath, name);
          const bytes = await readFile(path);
          await writeFile(`${path}.br`, await brotli(bytes));
          await writeFile(`${path}.gz`, await gzip(bytes, { level: 9 }));
        }),
      );
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
  ...['endpoints', 'seconds', 'Text', 'TimeOfDay', 'TimeQuery', 'Title'],
];

export default defineConfig({
  plugins: [react(), contractWithoutSchemas(), packedFiles()],
  build: {
    // No address of data inside the files: the content security policy and the cache both know them by name.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        // Many small files pack worse than few: one for all, one each for those who sign in and those who have.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /src\/(main|ui\/(card|form|states))\.tsx$|\/(ActionIcon|use-(document-title|resolved-styles-api|uncontrolled))\.mjs$/,
              priority: 3,
            },
            { name: 'sign-in', test: /src\/views\/sign-in\/sign-in\.tsx$/, priority: 2 },
            { name: 'user', test: /src\/(signed-in|views\/dashboard\/dashboard)\.tsx$/, priority: 1 },
          ],
        },
      },
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
