import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigurationError, readEnvironment } from '../schema/environment.ts';
import type { ServerOptions } from './server.ts';

/** Read the configuration of a gateway process. Throws one `ConfigurationError` with all faults. */
export const readConfig = () =>
  readEnvironment([
    'PORT',
    'SITE_PORT',
    'HOST',
    'PUBLIC_URL',
    'SITE_HOST',
    'DASHBOARD_ORIGIN',
    'OIDC_ISSUER',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'SUPERGRAPH',
    'SUPERGRAPH_HEADERS',
    'CATALOG_URL',
    'AGENT_URL',
    'SITE_CONTENT_URL',
    'SUBGRAPH_URLS',
    'SHARE_REQUESTS',
    'FORWARD_HEADERS',
    'CALLER_SECRET',
    'MASK_ERRORS',
    'SUBGRAPH_SECRET',
    'TLS_CERT',
    'TLS_KEY',
    'TRUST_PROXY',
    'ALLOW_HTTP',
    'INTROSPECTION',
    'TRUSTED_DOCUMENTS',
    'GRAPHQL_SAFELIST',
    'APOLLO_SERVER',
    'APOLLO_KEY',
    'APOLLO_GRAPH_REF',
    'CORS_ORIGINS',
    'MAIL_INBOUND_SECRET',
    'UPLOAD_BUDGET',
    'OPERATION_TIMEOUT',
    'METRICS_PORT',
    'SHUTDOWN_DELAY',
    'MAX_EVENT_LOOP_DELAY',
    'LOG_LEVEL',
  ]);

/**
 * Read the configured certificate and key, if any. Throws `ConfigurationError` when a file is unreadable or the key does not
 * match the certificate.
 */
export async function readTls({ TLS_CERT, TLS_KEY }: { TLS_CERT?: string; TLS_KEY?: string }): Promise<ServerOptions['tls']> {
  if (!TLS_CERT || !TLS_KEY) return undefined;
  const files = Object.entries({ TLS_CERT, TLS_KEY });
  const contents = await Promise.allSettled(files.map(([, file]) => readFile(file)));
  const faults = contents.flatMap((content, index) =>
    content.status === 'rejected' ? [`${files[index]![0]} cannot be read: ${content.reason.message}`] : [],
  );
  if (faults.length) throw new ConfigurationError(faults);
  const [cert, key] = contents.map((content) => (content as PromiseFulfilledResult<Buffer>).value) as [Buffer, Buffer];
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigurationError([`TLS_CERT and TLS_KEY must be a PEM certificate and its key: ${(error as Error).message}`]);
  }
  return { cert, key };
}
