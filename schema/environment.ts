import { defaultFileQuota, defaultUploadBudget } from './limits.ts';
import { CALLER_HEADER, SESSION_HEADER } from './request.ts';

/** Parses the text of a variable. Throws an error that names the expected format. */
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
/** Only the servers of the product set them. */
const INTERNAL_HEADERS = [SESSION_HEADER, 'x-client-address', 'x-request-id', 'x-agent-token', 'x-subgraph-secret', CALLER_HEADER];
const headers: Reader<string[]> = (value) => {
  const names = list(value).map((each) => each.toLowerCase());
  if (names.some((each) => !/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(each)))
    throw new Error('must be names of headers, separated by commas');
  const internal = names.find((each) => INTERNAL_HEADERS.includes(each));
  if (internal) throw new Error(`must not contain ${internal}, which is internal`);
  return names;
};
const pairs =
  (form: string, isValid = (_value: string) => true): Reader<Record<string, string>> =>
  (value) =>
    Object.fromEntries(
      list(value).map((each) => {
        const at = each.indexOf('=');
        const content = each.slice(at + 1);
        if (at < 1 || !isValid(content)) throw new Error(`must be pairs ${form}, separated by commas`);
        return [each.slice(0, at).trim(), content];
      }),
    );
const headerPairs: Reader<Record<string, string>> = (value) =>
  Object.fromEntries(Object.entries(pairs('name=value')(value)).map(([name, content]) => [name.toLowerCase(), content]));
const keys: Reader<string[]> = (value) => {
  const given = list(value);
  if (given.length === 0 || given.some((each) => each.length < 32))
    throw new Error('must be one or more keys of at least 32 characters, separated by commas');
  return given;
};
const url: Reader<string> = (value) => {
  // `localhost:4000` would be a URL with the scheme `localhost`.
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) throw new Error('must be a URL that begins with http:// or https://');
  return value.replace(/\/$/, '');
};
const database: Reader<string> = (value) => {
  const isDatabase = /^postgres(?:ql)?:/.test(value) && URL.canParse(value) && new URL(value).pathname.length > 1;
  // The value is not repeated, because it may contain a password.
  if (!isDatabase) throw new Error('must be a URL like postgres://host:5432/database');
  return value;
};
const smtp: Reader<string> = (value) => {
  // The value is not repeated, because it may contain a password.
  if (!/^smtps?:\/\/[^\s/]/i.test(value) || !URL.canParse(value))
    throw new Error('must be a URL like smtps://user:password@host:465');
  return value;
};
const mailAddress: Reader<string> = (value) => {
  if (!/^[a-z0-9._%+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(value))
    throw new Error('must be an e-mail address without a name');
  return value;
};
const replyAddress: Reader<string> = (value) => {
  if (!/^[a-z0-9._-]{1,11}@/i.test(value)) throw new Error('must have a name of at most 11 characters before the @');
  return mailAddress(value);
};
const issuer: Reader<string> = (value) => {
  const isLocal = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/.test(value);
  if (!URL.canParse(value) || !(isLocal || value.startsWith('https://'))) throw new Error('must be an HTTPS URL');
  return value;
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
  /** Text to parse when the variable is unset; without one the value is undefined. */
  default?: string;
  meaning: string;
}
const variable = <T, D extends string | undefined = undefined>(read: Reader<T>, meaning: string, fallback?: D) =>
  ({ read, meaning, default: fallback }) as Variable<T> & { default: D };

const addresses = {
  PORT: variable(whole(0, 65535), 'Port of the GraphQL and REST APIs', '4000'),
  SITE_PORT: variable(whole(0, 65535), 'Port of the site-content API', '4001'),
  HOST: variable(text, 'Address to bind to', '127.0.0.1'),
  PUBLIC_URL: variable(
    url,
    'Base URL of the API in OpenAPI documents, sign-in links and snippets of the widget; all processes need the same value',
  ),
  SITE_HOST: variable(text, 'Host name that selects the site-content API on the main port'),
} as const;
const postgres = {
  DATABASE_URL: variable(database, 'PostgreSQL 15 or newer; `npm start` starts its own when unset'),
  DATABASE_POOL: variable(whole(1, 500), 'Maximum PostgreSQL connections per process', '20'),
  DATABASE_DIRECT_URL: variable(
    database,
    'PostgreSQL itself, if `DATABASE_URL` is a connection pooler in transaction mode, such as PgBouncer',
  ),
} as const;
const jobs = {
  TEMPORAL_ADDRESS: variable(text, 'Temporal frontend as host:port; `npm start` starts a dev server when unset'),
  TEMPORAL_NAMESPACE: variable(text, 'Temporal namespace', 'default'),
  TEMPORAL_API_KEY: variable(text, 'Temporal API key; enables TLS'),
  TEMPORAL_TLS: variable(flag, 'Connect to Temporal over TLS', 'false'),
  TASK_QUEUE: variable(text, 'Temporal task queue for jobs', 'jobs'),
  WORKER_CONCURRENCY: variable(
    whole(1, 1000),
    'Maximum concurrent activities per worker process; a sixth as many steps of knowledge sources run beside them',
    '120',
  ),
} as const;
const data = {
  SECRETS_KEY: variable(
    keys,
    'Keys that encrypt stored secrets, comma-separated; the first encrypts, all decrypt. `npm start` generates one when unset',
  ),
  DATA_DIR: variable(text, 'Folder for embedded data; a cache folder of the user when unset'),
} as const;
const processes = {
  CATALOG_URL: variable(url, 'URL of a separate catalog subgraph; the gateway process hosts it when unset'),
  AGENT_URL: variable(url, 'URL of a separate agent subgraph; the gateway process hosts it when unset'),
  SITE_CONTENT_URL: variable(url, 'URL of a separate site-content subgraph; the gateway process hosts it when unset'),
  SUBGRAPH_SECRET: variable(text, 'Secret that the gateway shares with separate subgraph processes'),
  GATEWAY_URL: variable(
    url,
    'URL of the gateway for a separate agent subgraph and for workers; their agents cannot read the catalog when unset',
  ),
  SUPERGRAPH: variable(
    text,
    'File or URL of the composed supergraph, or `postgres://` address of a registry with published schemas; a new version is loaded without a restart',
    'schema/supergraph.graphql',
  ),
  SUPERGRAPH_HEADERS: variable(headerPairs, 'Headers for supergraph requests as name=value, comma-separated', ''),
  SUBGRAPH_URLS: variable(
    pairs('name=URL', URL.canParse),
    'URLs of external subgraphs as name=URL, comma-separated; they override those in the supergraph',
    '',
  ),
  SHARE_REQUESTS: variable(flag, 'Deduplicate identical concurrent subgraph queries of one caller', 'true'),
  FORWARD_HEADERS: variable(headers, 'Caller headers that the gateway forwards to external subgraphs, comma-separated', ''),
  CALLER_SECRET: variable(text, 'Secret with which the gateway signs the organization and user of a caller for external subgraphs'),
  MASK_ERRORS: variable(list, 'External subgraphs whose errors the gateway masks, comma-separated; `*` means all', ''),
} as const;
const models = {
  OPENAI_API_KEY: variable(text, 'API key of the model provider; `npm start` runs the offline model when unset'),
  OPENAI_BASE_URL: variable(url, 'Base URL of an OpenAI-compatible provider; OpenAI when unset'),
  MODEL_BUDGET: variable(text, 'Model behind `budget-v1`', 'gpt-5-mini'),
  MODEL_PRO: variable(text, 'Model behind `pro-v1`', 'gpt-5'),
  MODEL_CHAT: variable(text, 'Model behind `agent-chat-v1`', 'gpt-5-mini'),
  MODEL_CHAT_PRO: variable(text, 'Model behind `agent-chat-pro-v1`', 'gpt-5'),
  MODEL_REALTIME: variable(text, 'Model of voice sessions', 'gpt-realtime'),
  MODEL_EMBEDDING: variable(text, 'Model that embeds knowledge sources and questions', 'text-embedding-3-small'),
  MODEL_WEB_SEARCH: variable(
    oneOf('auto', 'on', 'off'),
    "Use the provider's web search; `auto` uses it only with OpenAI itself",
    'auto',
  ),
  MODEL_TIMEOUT: variable(whole(1, 600), 'Timeout of a model request in seconds, including the whole response', '120'),
  MODEL_CONCURRENCY: variable(
    whole(1, 10_000),
    'Maximum concurrent model requests of a process, with which jobs also begin. When unset, they begin with two; both follow what the provider keeps up with',
  ),
  SEARCH_URL: variable(url, 'Search endpoint (SearXNG JSON format) for providers without web search'),
} as const;
const outbound = {
  CRAWL_PAGE_LIMIT: variable(whole(1, 10_000), 'Maximum pages of one knowledge source', '500'),
  CRAWL_PAUSE: variable(whole(0, 60_000), 'Milliseconds between two requests of the crawler to one host', '500'),
  OUTBOUND_ALLOW_HOSTS: variable(list, 'Private hosts that outbound requests may reach, as host:port, comma-separated', ''),
} as const;
const files = {
  S3_BUCKET: variable(text, 'S3-compatible bucket for uploaded files; PostgreSQL stores them when unset'),
  S3_ENDPOINT: variable(url, 'Endpoint of the S3-compatible store; Amazon S3 in `S3_REGION` when unset'),
  S3_REGION: variable(text, 'Region in the signature of S3 requests', 'us-east-1'),
  S3_ACCESS_KEY_ID: variable(text, 'Access key ID for the bucket'),
  S3_SECRET_ACCESS_KEY: variable(text, 'Secret access key for the bucket'),
  FILE_QUOTA: variable(
    whole(1_048_576, Number.MAX_SAFE_INTEGER),
    'Maximum bytes that the uploaded files of one organization take',
    String(defaultFileQuota),
  ),
} as const;
const https = {
  TLS_CERT: variable(text, 'TLS certificate file; enables HTTPS'),
  TLS_KEY: variable(text, 'Private key file of the TLS certificate'),
  TRUST_PROXY: variable(flag, 'Trust the X-Forwarded-* headers of one reverse proxy', 'false'),
  ALLOW_HTTP: variable(flag, 'Accept plain HTTP from addresses other than loopback', 'false'),
} as const;
const limits = {
  RATE_LIMIT_PER_MINUTE: variable(
    whole(1, 1_000_000_000),
    'REST requests per minute and API key; all requests without a key',
    '120',
  ),
  GRAPHQL_LIMIT_PER_MINUTE: variable(
    whole(1, 1_000_000_000),
    'Points per minute and API key of GraphQL: 1 for an operation, 1 for each 1,000 of its cost, and 1 for each 10 fields of a new document. Ten times `RATE_LIMIT_PER_MINUTE` when unset',
  ),
  CHAT_LIMIT_VISITOR: variable(whole(1, 1_000_000), 'Chat messages per minute of one visitor of the widget', '20'),
  CHAT_LIMIT_IP: variable(
    whole(1, 1_000_000),
    'Chat messages per minute of all visitors with one IP address, or one IPv6 /64 network',
    '60',
  ),
  REQUIRE_CREDITS: variable(flag, 'Reject new AI jobs at zero balance, and job items once credits run out', 'true'),
  TRIAL_CREDITS: variable(
    whole(0, 1_000_000),
    'Credits of the first organization that a user creates; later organizations start with 0',
    '0',
  ),
} as const;
const signIn = {
  CRON_SECRET: variable(text, 'Bearer credential of `POST /api/cron/webhook-sweep`. Without it, the endpoint responds 503'),
  DASHBOARD_ORIGIN: variable(
    url,
    'Origin of the dashboard: sessions count only there, and it may always embed the widget. `PUBLIC_URL` when unset',
  ),
  OIDC_ISSUER: variable(issuer, 'OpenID Connect provider of the dashboard; sign-in links only when unset'),
  OIDC_CLIENT_ID: variable(text, 'Client id at the OpenID Connect provider'),
  OIDC_CLIENT_SECRET: variable(text, 'Client secret at the OpenID Connect provider'),
} as const;
const mail = {
  SMTP_URL: variable(smtp, 'SMTP server as `smtps://user:password@host`; no mail is sent when unset'),
  MAIL_FROM: variable(mailAddress, 'Address that sends all mails, such as `support@example.com`'),
  MAIL_REPLY_ADDRESS: variable(
    replyAddress,
    'Address whose mails the provider posts to the inbound webhook, such as `reply@in.example.com`. The name has at most 11 characters; signed tags are added to it. Replies go to `MAIL_FROM` when unset',
  ),
  MAIL_INBOUND_SECRET: variable(
    text,
    'Password of `POST /mail/postmark`, and signing key of `POST /mail/mailgun`; both respond 404 when unset',
  ),
} as const;
const graphql = {
  INTROSPECTION: variable(
    flag,
    'Enable introspection, name suggestions in errors, and GraphiQL. `npm start` sets it to true',
    'false',
  ),
  TRUSTED_DOCUMENTS: variable(list, "Manifest files of persisted operations in Apollo's format, comma-separated", ''),
  GRAPHQL_SAFELIST: variable(
    flag,
    'Reject GraphQL operations that are neither in `TRUSTED_DOCUMENTS` nor from the widget',
    'false',
  ),
  APOLLO_SERVER: variable(flag, 'Run GraphQL operations over HTTP inside Apollo Server, with its plugins', 'false'),
  APOLLO_KEY: variable(text, 'Key of the graph in GraphOS. If set, Apollo Server reports the usage of operations'),
  APOLLO_GRAPH_REF: variable(text, 'Graph and variant of the usage reports, as `graph@variant`'),
  CORS_ORIGINS: variable(
    origins,
    'Allowed CORS origins of `/graphql`, `/mcp` and file uploads, comma-separated; `*` means all',
    '',
  ),
} as const;
const budgets = {
  UPLOAD_BUDGET: variable(
    whole(4_194_304, 1_099_511_627_776),
    'Maximum bytes in `TMPDIR` of the forms that a process receives at the same time. A form takes at most half of it, and organizations share it evenly',
    String(defaultUploadBudget),
  ),
  OPERATION_TIMEOUT: variable(whole(1, 3_600), 'Timeout of a GraphQL operation or REST call, in seconds', '60'),
} as const;
const operation = {
  METRICS_PORT: variable(
    whole(1, 65535),
    'Port of the Prometheus endpoint `/metrics` on `HOST`; off when unset. The worker of `npm start` uses the next port',
  ),
  HEALTH_PORT: variable(whole(1, 65535), 'Port of `/healthz` and `/readyz` of a worker on `HOST`; off when unset'),
  MAX_EVENT_LOOP_DELAY: variable(
    whole(0, 60_000),
    'Mean event-loop delay in milliseconds above which a gateway refuses new requests with 503; 0 disables this',
    '1000',
  ),
  SHUTDOWN_DELAY: variable(
    whole(0, 60),
    'Seconds that a process accepts connections after SIGTERM while `/readyz` returns 503. `npm start` sets it to 0',
    '2',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(url, 'Endpoint for traces (OTLP over HTTP); off when unset'),
  OTEL_TRACES_SAMPLE: variable(
    whole(0, 100),
    'Percentage of new traces to record; callers can only exclude their own traces',
    '100',
  ),
  LOG_LEVEL: variable(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'Minimum level of log lines', 'info'),
} as const;

/** All variables by topic, in the order of `docs/configuration.md`, which is generated from this object. */
export const topics = {
  Addresses: addresses,
  PostgreSQL: postgres,
  'Temporal and jobs': jobs,
  'Secrets and data': data,
  'Subgraphs and the supergraph': processes,
  'Models and search': models,
  'Crawler and outbound requests': outbound,
  Files: files,
  HTTPS: https,
  'Rates and credits': limits,
  'Dashboard and schedules': signIn,
  Mail: mail,
  GraphQL: graphql,
  'Budgets of a request': budgets,
  'Metrics, logs and shutdown': operation,
};

/** Every environment variable. Outside `start/servers` and `start/bootstrap.mjs`, no other file reads `process.env`. */
export const environment = {
  ...addresses,
  ...postgres,
  ...jobs,
  ...data,
  ...processes,
  ...models,
  ...outbound,
  ...files,
  ...https,
  ...limits,
  ...signIn,
  ...mail,
  ...graphql,
  ...budgets,
  ...operation,
} as const;

export type Name = keyof typeof environment;
type Value<N extends Name> =
  (typeof environment)[N] extends Variable<infer T>
    ? (typeof environment)[N]['default'] extends string
      ? T
      : T | undefined
    : never;

/** Values by variable name; the values of `Required` are always defined. */
export type Configuration<Optional extends Name, Required extends Name = never> = {
  [N in Optional | Required]: N extends Required ? NonNullable<Value<N>> : Value<N>;
};

/**
 * Read the named variables. An empty variable counts as unset. Throws one `ConfigurationError` with every fault: malformed values,
 * missing required variables, and contradictory values.
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

/** The environment is incomplete or invalid. */
export class ConfigurationError extends Error {
  constructor(readonly faults: string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((each) => `  ${each}`).join('\n')}`,
    );
  }
}

type Values = Readonly<Record<string, unknown>>;

interface Rule {
  /** The rule applies only when the process reads all of these variables. */
  names: readonly string[];
  isBroken(values: Values): boolean;
  sentence: string;
}

const isSet = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

const needs = (name: string, ...others: string[]): Rule[] =>
  others.map((other) => ({
    names: [name, other],
    isBroken: (values) => isSet(values[name]) && !isSet(values[other]),
    sentence: `${name} needs ${other}`,
  }));

/** Port 0 is exempt: the system assigns a free port. */
const differ = (...ports: string[]): Rule[] =>
  ports.flatMap((name, index) =>
    ports.slice(index + 1).map((other) => ({
      names: [name, other],
      isBroken: (values: Values) => isSet(values[name]) && values[name] === values[other],
      sentence: `${name} and ${other} must be different ports`,
    })),
  );

const rules: Rule[] = [
  ...needs('TLS_CERT', 'TLS_KEY'),
  ...needs('TLS_KEY', 'TLS_CERT'),
  ...needs('GRAPHQL_SAFELIST', 'TRUSTED_DOCUMENTS'),
  ...needs('APOLLO_KEY', 'APOLLO_SERVER', 'APOLLO_GRAPH_REF'),
  ...needs('S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'),
  ...needs('S3_ENDPOINT', 'S3_BUCKET'),
  ...needs('OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'),
  ...needs('OIDC_CLIENT_ID', 'OIDC_ISSUER'),
  ...needs('SMTP_URL', 'MAIL_FROM'),
  ...needs('MAIL_REPLY_ADDRESS', 'SMTP_URL', 'MAIL_INBOUND_SECRET'),
  ...needs('DATABASE_DIRECT_URL', 'DATABASE_URL'),
  ...needs('OPENAI_BASE_URL', 'OPENAI_API_KEY'),
  ...needs('CATALOG_URL', 'SUBGRAPH_SECRET'),
  ...needs('AGENT_URL', 'SUBGRAPH_SECRET'),
  ...needs('SITE_CONTENT_URL', 'SUBGRAPH_SECRET'),
  ...needs('GATEWAY_URL', 'SUBGRAPH_SECRET'),
  ...differ('PORT', 'SITE_PORT', 'METRICS_PORT', 'HEALTH_PORT'),
];

/** One sentence per pair of values that contradict each other. A variable without an entry in `values` was not read. */
const contradictions = (values: Values): string[] =>
  rules
    .filter(({ names, isBroken }) => names.every((name) => Object.hasOwn(values, name)) && isBroken(values))
    .map(({ sentence }) => sentence);
