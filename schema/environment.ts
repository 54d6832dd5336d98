import { contradictions } from './contradictions.ts';

/** How the text of a variable is read. A reader throws a sentence that says what is expected. */
type Reader<T> = (text: string) => T;

const whole =
  (min: number, max: number): Reader<number> =>
  (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < min || value > max) throw new Error(`must be a whole number from ${min} to ${max}`);
    return value;
  };
const text: Reader<string> = (value) => value;
const flag: Reader<boolean> = (value) => {
  if (/^(1|true|yes|on)$/i.test(value)) return true;
  if (/^(0|false|no|off)$/i.test(value)) return false;
  throw new Error('must be true or false');
};
const list: Reader<string[]> = (value) =>
  value
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
const headers: Reader<string[]> = (value) => {
  const names = list(value).map((each) => each.toLowerCase());
  if (names.some((each) => !/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(each)))
    throw new Error('must be names of headers, separated by commas');
  return names;
};
const pairs: Reader<Record<string, string>> = (value) =>
  Object.fromEntries(
    list(value).map((each) => {
      const at = each.indexOf('=');
      if (at < 1) throw new Error('must be pairs name=value, separated by commas');
      return [each.slice(0, at).trim().toLowerCase(), each.slice(at + 1)];
    }),
  );
const urls: Reader<Record<string, string>> = (value) =>
  Object.fromEntries(
    list(value).map((each) => {
      const at = each.indexOf('=');
      const address = each.slice(at + 1);
      if (at < 1 || !URL.canParse(address)) throw new Error('must be pairs name=URL, separated by commas');
      return [each.slice(0, at), address];
    }),
  );
const keys: Reader<string[]> = (value) => {
  const given = list(value);
  if (given.length === 0 || given.some((each) => each.length < 32))
    throw new Error('must be one or more keys of at least 32 characters, separated by commas');
  return given;
};
const url: Reader<string> = (value) => {
  if (!URL.canParse(value)) throw new Error('must be a URL');
  return value.replace(/\/$/, '');
};
const origins: Reader<string[]> = (value) => {
  const given = list(value);
  if (given.some((each) => each !== '*' && (!URL.canParse(each) || new URL(each).origin !== each)))
    throw new Error('must be origins like https://app.example.com, separated by commas');
  return given;
};
const oneOf =
  <T extends string>(...words: T[]): Reader<T> =>
  (value) => {
    if (!(words as string[]).includes(value)) throw new Error(`must be one of ${words.join(', ')}`);
    return value as T;
  };

interface Variable<T> {
  read: Reader<T>;
  /** The text read when the variable is not set; none means the value is undefined. */
  default?: string;
  meaning: string;
  /** Masked wherever configuration is shown. */
  secret?: true;
}
const variable = <T, D extends string | undefined = undefined>(
  read: Reader<T>,
  meaning: string,
  fallback?: D,
  more: { secret?: true } = {},
) => ({ read, meaning, default: fallback, ...more }) as Variable<T> & { default: D };

/** Every variable the processes know. The README's table is generated from here; no other file reads `process.env`. */
export const environment = {
  PORT: variable(whole(0, 65535), 'Port of the graph and the REST face', '4000'),
  SITE_PORT: variable(whole(0, 65535), 'Port of the site-content surface', '4001'),
  HOST: variable(text, 'Address to bind to', '127.0.0.1'),
  PUBLIC_URL: variable(url, 'Base URL that callers see; made from host and port when unset'),
  SITE_HOST: variable(text, 'Host name that selects the site-content surface on the main port'),
  DATABASE_URL: variable(text, 'PostgreSQL 15 or newer; `npm start` brings its own when unset', undefined, { secret: true }),
  DATABASE_POOL: variable(whole(1, 500), 'Connections to PostgreSQL a process may hold', '20'),
  TEMPORAL_ADDRESS: variable(text, 'Temporal frontend as host:port; `npm start` brings a dev server when unset'),
  TEMPORAL_NAMESPACE: variable(text, 'Temporal namespace', 'default'),
  TEMPORAL_API_KEY: variable(text, 'Temporal API key; switches TLS on', undefined, { secret: true }),
  TEMPORAL_TLS: variable(flag, 'Connect to Temporal by TLS', 'false'),
  TASK_QUEUE: variable(text, 'Temporal task queue of the jobs', 'jobs'),
  WORKER_CONCURRENCY: variable(whole(1, 1000), 'Activities one worker process runs at a time', '50'),
  SECRETS_KEY: variable(
    keys,
    'Encrypts stored secrets; several, comma-separated, while one replaces another: the first encrypts. `npm start` makes its own',
    undefined,
    { secret: true },
  ),
  DATA_DIR: variable(text, 'Where embedded data lives; a cache folder of the user when unset'),
  CATALOG_URL: variable(url, 'The catalog subgraph in a process of its own; in the gateway process when unset'),
  AGENT_URL: variable(url, 'The agent subgraph, likewise'),
  SITE_CONTENT_URL: variable(url, 'The site-content subgraph, likewise'),
  SUBGRAPH_SECRET: variable(text, 'Shared by the gateway and subgraphs in processes of their own', undefined, { secret: true }),
  SUPERGRAPH: variable(
    text,
    'File or URL of the composed supergraph to serve; a new version is served without a restart',
    'schema/supergraph.graphql',
  ),
  SUPERGRAPH_POLL: variable(whole(1, 86_400), 'Seconds between two requests for a supergraph at a URL', '10'),
  SUPERGRAPH_HEADERS: variable(pairs, 'Headers of these requests as name=value, comma-separated', '', { secret: true }),
  SUBGRAPH_URLS: variable(urls, 'Addresses of other subgraphs as name=URL, comma-separated, before those in the supergraph', ''),
  SHARE_REQUESTS: variable(
    flag,
    'Send queries of one caller that are the same once, while they are under way to a subgraph',
    'true',
  ),
  FORWARD_HEADERS: variable(headers, 'Headers of a caller that other subgraphs get, comma-separated', ''),
  MASK_ERRORS: variable(
    list,
    'Other subgraphs whose errors are masked like those of the product, comma-separated; `*` means all',
    '',
  ),
  OPENAI_API_KEY: variable(text, 'Key of the model provider; `npm start` runs the offline model when unset', undefined, {
    secret: true,
  }),
  OPENAI_BASE_URL: variable(url, 'Any OpenAI-compatible provider'),
  MODEL_BUDGET: variable(text, 'Model behind `budget-v1`', 'gpt-5-mini'),
  MODEL_PRO: variable(text, 'Model behind `pro-v1`', 'gpt-5'),
  MODEL_CHAT: variable(text, 'Model behind `agent-chat-v1`', 'gpt-5-mini'),
  MODEL_CHAT_PRO: variable(text, 'Model behind `agent-chat-pro-v1`', 'gpt-5'),
  MODEL_WEB_SEARCH: variable(oneOf('auto', 'on', 'off'), "Use the provider's web search: auto asks only OpenAI itself", 'auto'),
  MODEL_TIMEOUT: variable(whole(1, 600), 'Seconds the model provider has for an answer, to its last byte', '120'),
  SEARCH_URL: variable(url, 'Search endpoint in the JSON form of SearXNG, for web search where the provider has none'),
  OUTBOUND_ALLOW_HOSTS: variable(list, 'Hosts (host:port, comma-separated) that may be fetched although private', ''),
  S3_BUCKET: variable(
    text,
    'Bucket for uploaded files, of Amazon S3 or what speaks its protocol; they are kept in PostgreSQL when unset',
  ),
  S3_ENDPOINT: variable(url, 'Address of the store of that bucket; that of Amazon in the region when unset'),
  S3_REGION: variable(text, 'Region that requests to the store are signed for', 'us-east-1'),
  S3_ACCESS_KEY_ID: variable(text, 'Key of the bucket'),
  S3_SECRET_ACCESS_KEY: variable(text, 'Secret of that key', undefined, { secret: true }),
  TLS_CERT: variable(text, 'Certificate file; the process then serves HTTPS'),
  TLS_KEY: variable(text, 'Key file of the certificate'),
  TRUST_PROXY: variable(flag, 'Believe X-Forwarded-* of the proxy in front', 'false'),
  ALLOW_HTTP: variable(flag, 'Accept plain HTTP from other than loopback addresses', 'false'),
  RATE_LIMIT_PER_MINUTE: variable(whole(1, 1_000_000_000), 'Requests a minute per API key', '120'),
  REQUIRE_CREDITS: variable(flag, 'Refuse new AI jobs at zero balance, and items beyond it', 'true'),
  TRIAL_CREDITS: variable(
    whole(0, 1_000_000),
    'Credits of the first organization that a user creates; later ones start with none',
    '0',
  ),
  DASHBOARD_ORIGIN: variable(url, 'Origin of the dashboard, always allowed to show the widget; `PUBLIC_URL` when unset'),
  INTROSPECTION: variable(
    flag,
    'Let GraphQL callers read the schema, suggest names in errors, and serve GraphiQL. `npm start` sets it to true',
    'false',
  ),
  TRUSTED_DOCUMENTS: variable(
    list,
    "Manifests of operations that may be asked for by id, comma-separated, in the format of Apollo's",
    '',
  ),
  GRAPHQL_SAFELIST: variable(flag, 'Run no operation of a GraphQL caller that is not in them', 'false'),
  CORS_ORIGINS: variable(origins, 'Origins whose pages may use `/graphql`, comma-separated; `*` means all', ''),
  BODY_LIMIT: variable(whole(1_024, 1_073_741_824), 'Bytes a request body may have; uploads have limits of their own', '10485760'),
  OPERATION_TIMEOUT: variable(whole(1, 3_600), 'Seconds an operation may take, of GraphQL or behind a REST call', '60'),
  COST_LIMIT: variable(
    whole(1, 1_000_000_000),
    'What a GraphQL operation may cost: fields, times the lengths of their lists',
    '250000',
  ),
  ANSWER_LIMIT: variable(
    whole(1_048_576, 1_073_741_824),
    'Bytes the answer of an operation may have, and the rows read for it; a download has them for each of its pages',
    '33554432',
  ),
  METRICS_PORT: variable(
    whole(1, 65535),
    'Port of `/metrics` for Prometheus, on `HOST`; off when unset. The worker of `npm start` takes the next',
  ),
  HEALTH_PORT: variable(whole(1, 65535), 'Port of `/healthz` and `/readyz` of a worker, on `HOST`; off when unset'),
  SHUTDOWN_DELAY: variable(
    whole(0, 60),
    'Seconds between SIGTERM, when `/readyz` starts to answer 503, and the end of new connections. `npm start` sets it to 0',
    '2',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(url, 'Where traces go by OTLP over HTTP; off when unset'),
  OTEL_TRACES_SAMPLE: variable(whole(0, 100), 'Percent of the traces begun here that are kept', '100'),
  LOG_LEVEL: variable(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'Lines below are not written', 'info'),
} as const;

export type Name = keyof typeof environment;
type Value<N extends Name> =
  (typeof environment)[N] extends Variable<infer T>
    ? (typeof environment)[N]['default'] extends string
      ? T
      : T | undefined
    : never;

/** Values of variables by name: `Required` ones are always defined. */
export type Configuration<Optional extends Name, Required extends Name = never> = {
  [N in Optional | Required]: N extends Required ? NonNullable<Value<N>> : Value<N>;
};

/**
 * Read the named variables. An empty variable counts as unset. Throws one `ConfigurationError` with every fault: texts that cannot
 * be read, missing required variables, and values that contradict each other.
 */
export function readEnvironment<O extends Name, R extends Name = never>(
  optional: readonly O[],
  required: readonly R[] = [],
  source: NodeJS.ProcessEnv = process.env,
): Configuration<O, R> {
  const values: Partial<Record<Name, unknown>> = {};
  const faults: string[] = [];
  for (const name of new Set<Name>([...optional, ...required])) {
    const { read, default: fallback } = environment[name] as Variable<unknown>;
    const text = source[name]?.trim() || fallback;
    try {
      if (text !== undefined) values[name] = read(text);
      else if ((required as readonly Name[]).includes(name)) throw new Error('is required');
      else values[name] = undefined;
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
    }
  }
  faults.push(...contradictions(values));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return values as Configuration<O, R>;
}

/** The environment does not describe a process that can run. */
export class ConfigurationError extends Error {
  constructor(readonly faults: string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((each) => `  ${each}`).join('\n')}`,
    );
  }
}
