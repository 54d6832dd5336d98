import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { mantineStyles } from './styles.ts';

/** The gateway behind `npm run dev`. */
const gateway = process.env.GATEWAY ?? 'http://127.0.0.1:4000';
/** The modules of the start page. The modules that they import follow them. */
const START = /\/src\/(main|layout\/layout|pages\/home\/page)\.tsx$/;
const forwarded = ['/graphql', '/api', '/auth/', '/docs'];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), mantineStyles],
  build: {
    // No inline assets: the content security policy allows only files of this origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    // One file for the start page compresses better than some sixty, and takes one request.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'start', test: START }] } } },
  },
  server: { proxy: Object.fromEntries(forwarded.map((path) => [path, { target: gateway, ws: path === '/graphql' }])) },
});
