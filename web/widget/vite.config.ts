import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { build, defineConfig, type InlineConfig, type Plugin } from 'vite';

const root = import.meta.dirname;
const PANEL = 'widget-panel.js';
const shared = { target: 'es2022', modulePreload: false, reportCompressedSize: false } as const;

const panelBuild: InlineConfig = {
  root,
  configFile: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    ...shared,
    write: false,
    lib: { entry: join(root, 'src/panel/panel.tsx'), formats: ['es'], fileName: () => PANEL },
    // A library build keeps white space by default.
    rolldownOptions: { output: { minify: true } },
  },
};

/** Builds the panel as a file of its own, and gives the loader its name with a hash of its content. */
function panel(): Plugin {
  const id = 'virtual:panel';
  return {
    name: 'panel',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    async load(source) {
      if (source !== `\0${id}`) return undefined;
      const [output] = [await build(panelBuild)].flat();
      if (!output || !('output' in output)) throw new Error('The panel has no output');
      const { code } = output.output[0];
      this.emitFile({ type: 'asset', fileName: PANEL, source: code });
      const hash = createHash('sha256').update(code).digest('hex').slice(0, 12);
      return `export const panelFile = ${JSON.stringify(`${PANEL}?${hash}`)};`;
    },
  };
}

export default defineConfig({
  root,
  plugins: [panel()],
  build: {
    ...shared,
    lib: { entry: join(root, 'src/loader/loader.ts'), formats: ['iife'], name: 'chatWidgetLoader', fileName: () => 'widget.js' },
  },
});
