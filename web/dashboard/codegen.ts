import { join } from 'node:path';
import type { CodegenConfig } from '@graphql-codegen/cli';
import config from '../../schema/codegen.json' with { type: 'json' };

const at = (...path: string[]) => join(import.meta.dirname, ...path);

/**
 * Generates the types of all documents in the pages. The bundle contains none of the generated code. `graph-client.ts` drops the data of a query
 * with a failed root field, so those have no null.
 */
export default {
  schema: at('../../schema/api.graphql'),
  documents: at('src/**/*.{ts,tsx}'),
  errorsOnly: true,
  generates: {
    [at('.graph/')]: {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: { ...config, useTypeImports: true, nullability: { errorHandlingClient: true } },
    },
  },
} satisfies CodegenConfig;
