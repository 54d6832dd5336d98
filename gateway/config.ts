import { readEnvironment } from '../schema/environment.ts';

/** The configuration of a gateway process. Throws `ConfigurationError` naming every fault. */
export const readConfig = () =>
  readEnvironment([
    'PORT',
    'SITE_PORT',
    'HOST',
    'PUBLIC_URL',
    'SITE_HOST',
    'SUPERGRAPH',
    'CATALOG_URL',
    'AGENT_URL',
    'SITE_CONTENT_URL',
    'SUBGRAPH_SECRET',
    'TLS_CERT',
    'TLS_KEY',
    'TRUST_PROXY',
    'ALLOW_HTTP',
    'INTROSPECTION',
    'LOG_LEVEL',
  ]);
