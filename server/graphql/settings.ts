import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '../../schema/environment.ts';
import type { readConfig } from '../config.ts';
import type { GraphQLOptions } from './endpoint.ts';
import type { Manifest } from './trusted.ts';
import { readManifest } from './trusted.ts';

type Settings = Omit<GraphQLOptions, 'gateway' | 'admit'>;

/** How `/graphql` behaves, as the environment says. Throws `ConfigurationError` for a manifest that cannot be used. */
export async function readSettings(config: ReturnType<typeof readConfig>): Promise<Settings> {
  const { TRUSTED_DOCUMENTS: files, GRAPHQL_SAFELIST: safelist } = config;
  if (safelist && files.length === 0) throw new ConfigurationError(['GRAPHQL_SAFELIST needs TRUSTED_DOCUMENTS']);
  return {
    forward: config.FORWARD_HEADERS,
    introspection: config.INTROSPECTION,
    ...(files.length > 0 && { trusted: await Promise.all(files.map(manifestIn)) }),
    safelist,
    corsOrigins: config.CORS_ORIGINS,
    bodyLimit: config.BODY_LIMIT,
    timeout: config.OPERATION_TIMEOUT * 1_000,
    answerLimit: config.ANSWER_LIMIT,
    limits: { cost: config.COST_LIMIT },
  };
}

async function manifestIn(file: string): Promise<Manifest> {
  try {
    return readManifest(await readFile(file, 'utf8'));
  } catch (error) {
    throw new ConfigurationError([`TRUSTED_DOCUMENTS: ${file}: ${(error as Error).message}`]);
  }
}
