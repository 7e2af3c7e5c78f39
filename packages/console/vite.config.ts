import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev` finds a service. */
const service = 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  build: {
    // No address of data inside the files: the content security policy and the cache both know them by name.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: { '/api': service } },
});
