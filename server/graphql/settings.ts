import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '../../schema/environment.ts';
import type { readConfig } from '../config.ts';
import type { GraphQLOptions } from './endpoint.ts';
import type { Manifest } from './trusted.ts';
import { readManifest } from './trusted.ts';

type Settings = Omit<GraphQLOptions, 'gateway' | 'admit'>;

/** The options of `/graphql` from the configuration and its manifests. */
export function settingsOf(config: ReturnType<typeof readConfig>, trusted: Manifest[]): Settings {
  return {
    forward: config.FORWARD_HEADERS,
    introspection: config.INTROSPECTION,
    ...(trusted.length > 0 && { trusted }),
    safelist: config.GRAPHQL_SAFELIST,
    ...(config.APOLLO_SERVER && {
      apollo: {
        key: config.APOLLO_KEY,
        graphRef: config.APOLLO_GRAPH_REF,
        reportUrl: config.APOLLO_USAGE_REPORTING_INGRESS_URL,
      },
    }),
    corsOrigins: config.CORS_ORIGINS,
    bodyLimit: config.BODY_LIMIT,
    timeout: config.OPERATION_TIMEOUT * 1_000,
    answerLimit: config.ANSWER_LIMIT,
    limits: { cost: config.COST_LIMIT },
  };
}

/** Read the manifests of trusted documents. Throws one `ConfigurationError` with all invalid files. */
export async function readManifests(files: readonly string[]): Promise<Manifest[]> {
  const faults: string[] = [];
  const read = async (file: string) => {
    try {
      return [readManifest(await readFile(file, 'utf8'))];
    } catch (error) {
      faults.push(`TRUSTED_DOCUMENTS: ${file}: ${(error as Error).message}`);
      return [];
    }
  };
  const manifests = (await Promise.all(files.map(read))).flat();
  if (faults.length > 0) throw new ConfigurationError(faults);
  return manifests;
}
