import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The gateway behind `npm run dev`. */
const gateway = process.env.GATEWAY ?? 'http://127.0.0.1:4000';
/** The modules of the start page. The modules that they import follow them. */
const START = /\/src\/(app|layout\/layout|pages\/home\/page)\.tsx$/;
/** The sign-in page, whose fields are those of other forms. */
const SIGN_IN = /\/src\/pages\/sign-in\/page\.tsx$/;
/** The steps that the start page shows to an empty organization. Other pages share their modules. */
const FIRST_STEPS = /\/src\/pages\/home\/first-steps\.tsx$/;
/** One file compresses better than some sixty small ones, and takes one request. `shared` has the modules that most pages import. */
const groups = [
  { name: 'start', test: START, priority: 2 },
  { name: 'sign-in', test: SIGN_IN, priority: 1 },
  { name: 'first-steps', test: FIRST_STEPS, priority: 1 },
  { name: 'shared', minShareCount: 12 },
];
/** Adds the stylesheet of each Mantine component to the chunk that contains the component, so that a page loads only styles that it uses. */
const mantineStyles: Plugin = {
  name: 'mantine-styles',
  transform(code, id) {
    const [, component] = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/.exec(id) ?? [];
    return component && { code: `import '@mantine/core/styles/${component}.css';\n${code}`, map: null, moduleSideEffects: false };
  },
};

const forwarded = ['/graphql', '/api', '/auth/', '/docs'];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), mantineStyles],
  build: {
    // No inline assets: the content security policy allows only files of this origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: { proxy: Object.fromEntries(forwarded.map((path) => [path, { target: gateway, ws: path === '/graphql' }])) },
});
