import type { Plugin } from 'vite';

/** Adds the stylesheet of each Mantine component to the chunk that contains the component, so that a page loads only styles that it uses. */
export const mantineStyles: Plugin = {
  name: 'mantine-styles',
  transform(code, id) {
    const [, component] = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/.exec(id) ?? [];
    return component && { code: `import '@mantine/core/styles/${component}.css';\n${code}`, map: null, moduleSideEffects: false };
  },
};
