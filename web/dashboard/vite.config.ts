import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { mantineStyles } from './styles.ts';

/** The gateway behind `npm run dev`. */
const gateway = process.env.GATEWAY ?? 'http://127.0.0.1:4000';
const forwarded = ['/graphql', '/api', '/auth/', '/docs'];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), mantineStyles],
  // No inline assets: the content security policy allows only files of this origin.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: 'es2022' },
  server: { proxy: Object.fromEntries(forwarded.map((path) => [path, { target: gateway, ws: path === '/graphql' }])) },
});
