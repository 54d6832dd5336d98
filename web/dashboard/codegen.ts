import type { CodegenConfig } from '@graphql-codegen/cli';
import config from '../../schema/codegen.json' with { type: 'json' };

/** Generates the types of all documents in the pages. The bundle contains none of the generated code. */
export default {
  schema: '../../schema/api.graphql',
  documents: ['src/**/*.{ts,tsx}'],
  ignoreNoDocuments: true,
  silent: true,
  generates: { '.graph/': { preset: 'client', presetConfig: { fragmentMasking: false }, config: { ...config, useTypeImports: true } } },
} satisfies CodegenConfig;
