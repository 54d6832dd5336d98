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
    'SUPERGRAPH_POLL',
    'SUPERGRAPH_HEADERS',
    'CATALOG_URL',
    'AGENT_URL',
    'SITE_CONTENT_URL',
    'SUBGRAPH_URLS',
    'SHARE_REQUESTS',
    'FORWARD_HEADERS',
    'MASK_ERRORS',
    'SUBGRAPH_SECRET',
    'TLS_CERT',
    'TLS_KEY',
    'TRUST_PROXY',
    'ALLOW_HTTP',
    'INTROSPECTION',
    'TRUSTED_DOCUMENTS',
    'GRAPHQL_SAFELIST',
    'CORS_ORIGINS',
    'BODY_LIMIT',
    'OPERATION_TIMEOUT',
    'COST_LIMIT',
    'LOG_LEVEL',
  ]);
