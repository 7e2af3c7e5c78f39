import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

// Loaded as it is, since it is built for a newer Node than this tool knows.
const { slugOf } = await import(new URL('../../scripts/support/markdown.ts', import.meta.url).href);
// Written by scripts/docs.ts, with the pages.
const { base, sidebar } = JSON.parse(readFileSync(new URL('../dist/site.json', import.meta.url), 'utf8'));

export default defineConfig({
  title: 'Moorage',
  description: 'A self-hosted home for connected devices, and a software implementation of the module it manages',
  base,
  srcDir: 'dist/pages',
  outDir: '../dist/docs',
  cacheDir: 'dist/cache',
  head: [['link', { rel: 'icon', href: `${base}icon.svg` }]],
  // That of the search, which is loaded when somebody searches.
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  // Anchors as forges make them, since the same files are read there.
  markdown: {
    anchor: { slugify: slugOf },
    headers: { slugify: slugOf },
    toc: { slugify: slugOf },
  },
  themeConfig: {
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
  },
});
