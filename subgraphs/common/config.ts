import { readEnvironment } from '../../schema/environment.ts';

/** What a process that hosts subgraphs needs, whether they are alone in it or beside the gateway. */
export const readConfig = () =>
  readEnvironment([
    'DATABASE_URL',
    'DATABASE_POOL',
    'RATE_LIMIT_PER_MINUTE',
    'REQUIRE_CREDITS',
    'SECRETS_KEY',
    'OUTBOUND_ALLOW_HOSTS',
    'DASHBOARD_ORIGIN',
    'PUBLIC_URL',
    'S3_BUCKET',
    'S3_ENDPOINT',
    'S3_REGION',
    'S3_ACCESS_KEY_ID',
    'S3_SECRET_ACCESS_KEY',
    'LOG_LEVEL',
  ]);

/** A subgraph in a process of its own. */
export const readServerConfig = () => readEnvironment(['PORT', 'HOST', 'SUBGRAPH_SECRET', 'ANSWER_LIMIT']);
