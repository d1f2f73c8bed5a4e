import { defineConfig } from 'vite';

/** `npx vite web` serves the page with live reload; the operations are those of `cleo serve` on port 4800. */
const server = 'http://127.0.0.1:4800';

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: {
    proxy: {
      '/api': {
        target: server,
        changeOrigin: true,
        // The server answers only to its own origin.
        configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
      },
    },
  },
  build: {
    target: 'es2022',
    // These versions understand light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    emptyOutDir: true,
    // The policy of the page forbids inline code, and inlined images count for the first visit.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
