import { readEnvironment } from '../schema/environment.ts';

/** What `npm start` itself has to know; the processes it starts read their own. Throws `ConfigurationError` naming every fault. */
export const readConfig = () =>
  readEnvironment([
    'HOST',
    'PORT',
    'SITE_PORT',
    'DATABASE_URL',
    'TEMPORAL_ADDRESS',
    'DATA_DIR',
    'OPENAI_API_KEY',
    'OUTBOUND_ALLOW_HOSTS',
  ]);
