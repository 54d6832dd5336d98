import type { EnumValue } from '../schema/enums.ts';
import type { ErrorCode } from '../schema/errors.ts';
import { IDENTITY_HEADER, type Requirement } from '../schema/request.ts';

/**
 * The format of a success body: the constants in `with`, and the payload at the path `under` (`data`, `data.agents`). Without
 * `under`, the keys of the payload are at the top level; `{}` is the bare payload.
 */
export interface Envelope {
  with?: Readonly<Record<string, boolean | number | string>>;
  under?: string;
  /** Constants to add to the payload object. */
  inside?: Envelope['with'];
}

/** The format of an error body. Placeholders in braces are replaced, and extra keys of a refusal are added to the object of the message. */
export interface FailureShape {
  readonly [key: string]: false | '{message}' | '{status}' | '{code}' | FailureShape;
}

/** Headers of credentials. Only the schemes of a surface are forwarded. */
export const keySchemes = {
  apiKey: {
    header: 'x-api-key',
    documented: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key (preferred).' },
  },
  bearer: { header: 'authorization', documented: { type: 'http', scheme: 'bearer', description: 'An API key as a bearer token.' } },
} as const;

type KeyScheme = keyof typeof keySchemes;

/** HTTP statuses by error code. */
export type Statuses = Partial<Record<ErrorCode, number>>;

/** The groups of the MCP tools of rows: of those that read, and of those that write. */
export interface ToolGroups {
  read: EnumValue<'ToolGroup'>;
  write: EnumValue<'ToolGroup'>;
}

/** A group of endpoints with the same base path, access requirement and response format. */
export interface Surface {
  name: string;
  /** The OpenAPI tag and its description. */
  tag: string;
  description: string;
  /** The base path, with parameters as `:name`. Each is a variable of every row, except `organization`. */
  base: string;
  listener: 'main' | 'site';
  requires: Requirement;
  keys: readonly KeyScheme[];
  /** Part of the URL that names the organization; by default the key determines it. */
  organization?: 'path' | 'query';
  envelope: Envelope;
  failure: FailureShape;
  /** HTTP statuses that differ from `schema/errors.ts`. */
  statuses?: Statuses;
  /** Fixed messages, or templates with `{message}`. */
  messages: Partial<Record<ErrorCode, string>>;
  /** Error codes that every row can return. */
  errors: readonly ErrorCode[];
  /** Headers of every response, including errors. */
  headers?: Readonly<Record<string, string>>;
  /** Send a strong `ETag` with every GET response, and answer `If-None-Match` with 304. */
  entityTags?: true;
  /** Request headers that pages of other origins may send, besides `content-type`. */
  allowedHeaders?: readonly string[];
  /** A header with a credential of the visitor, which is forwarded and documented with every row. */
  visitorToken?: { header: string; description: string };
  /** Without it, the rows are no MCP tools. */
  tools?: ToolGroups;
}

const flatFailure: FailureShape = { success: false, message: '{message}' };

/** Caches do not know that responses depend on credentials, on the visitor or on the origin. */
const uncached = { 'cache-control': 'no-store' };

/** The response headers that pages with a widget may read. */
export const exposedToPages = 'X-Visitor-Id, X-Conversation-Id, X-Identity-Status, Retry-After, X-Error-Code, X-Unknown-Parameters';

/** Every surface masks internal errors. */
const masked = { INTERNAL_SERVER_ERROR: 'Internal Server Error', UNAVAILABLE: 'Service Unavailable' };

const sentences = {
  ...masked,
  INVALID_INPUT: 'Invalid request body: {message}',
  MISSING_KEY: 'Missing API Key',
  INVALID_KEY: 'Invalid API Key',
  UNKNOWN_KEY: 'Invalid API Key',
  NO_ACCESS: 'Invalid API Key',
  RATE_LIMITED: 'Rate limit exceeded',
};

const commonErrors: ErrorCode[] = ['RATE_LIMITED', 'INTERNAL_SERVER_ERROR', 'UNAVAILABLE'];
const keyErrors: ErrorCode[] = ['MISSING_KEY', 'INVALID_KEY', 'UNKNOWN_KEY', ...commonErrors];
const memberErrors: ErrorCode[] = ['INVALID_INPUT', 'NO_ACCESS', ...keyErrors];

export const catalog: Surface = {
  name: 'catalog',
  tag: 'Catalog',
  description: 'Products, brands, categories and the AI jobs over them, for one organization.',
  base: '/api/:organization',
  listener: 'main',
  requires: { access: 'organization', level: 'member' },
  keys: ['apiKey', 'bearer'],
  organization: 'path',
  envelope: { with: { success: true }, under: 'data' },
  failure: flatFailure,
  messages: sentences,
  errors: memberErrors,
  headers: uncached,
  tools: { read: 'catalog-read', write: 'catalog-write' },
};

export const organizations: Surface = {
  ...catalog,
  name: 'organizations',
  tag: 'Organizations',
  description: 'The organizations that a key can access.',
  base: '/api/organizations',
  requires: { access: 'user' },
  organization: undefined,
  errors: keyErrors,
};

export const admin: Surface = {
  ...catalog,
  name: 'admin',
  tag: 'Agent administration',
  description: 'Agents with their knowledge sources, tools and secrets, for owners and admins of an organization.',
  base: '/api/:organization/agents',
  requires: { access: 'organization', level: 'admin' },
  errors: [...memberErrors, 'FORBIDDEN'],
  tools: { read: 'agents-read', write: 'agents-write' },
};

export const widget: Surface = {
  name: 'widget',
  tag: 'Widget',
  description: 'Endpoints for embedded chat widgets. No key is needed; the public access and allowed origins of the agent apply.',
  base: '/api/agents/:publicSlug',
  listener: 'main',
  requires: { access: 'public' },
  keys: [],
  envelope: {},
  failure: flatFailure,
  messages: { ...masked, INVALID_INPUT: sentences.INVALID_INPUT, RATE_LIMITED: sentences.RATE_LIMITED },
  errors: ['INVALID_INPUT', 'NOT_FOUND', ...commonErrors],
  headers: {
    ...uncached,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposedToPages,
    // Override the default of the security headers, `same-origin`.
    'cross-origin-resource-policy': 'cross-origin',
  },
  // Clients of the AI SDK send `user-agent`.
  allowedHeaders: ['x-visitor-id', 'x-conversation-id', IDENTITY_HEADER, 'idempotency-key', 'user-agent'],
  visitorToken: {
    header: IDENTITY_HEADER,
    description:
      'A JSON Web Token with which the site names its signed-in visitor. With a token that is not valid, the visitor is a stranger.',
  },
};

export const integration: Surface = {
  name: 'integration',
  tag: 'Integration',
  description: 'Leads, form submissions, tickets and webhook subscriptions for external systems, by polling or webhooks.',
  base: '/api/v1',
  listener: 'main',
  requires: { access: 'organization', level: 'member', plan: 'growth' },
  keys: ['apiKey', 'bearer'],
  organization: 'query',
  envelope: {},
  failure: { error: { message: '{message}', status: '{status}' } },
  statuses: { UNKNOWN_KEY: 401 },
  messages: masked,
  errors: [...memberErrors, 'PLAN_REQUIRED'],
  headers: uncached,
  tools: { read: 'integration-read', write: 'integration-write' },
};

export const cron: Surface = {
  name: 'cron',
  tag: 'Operation',
  description: 'Endpoints for schedulers of the operator.',
  base: '/api/cron',
  listener: 'main',
  requires: { access: 'public' },
  keys: [],
  envelope: {},
  failure: integration.failure,
  messages: { INTERNAL_SERVER_ERROR: masked.INTERNAL_SERVER_ERROR },
  errors: ['INVALID_INPUT', ...commonErrors],
  headers: uncached,
};

export const siteContent: Surface = {
  name: 'site-content',
  tag: 'Site content',
  description: 'Workspaces, sites and their published content.',
  base: '/api/v1',
  listener: 'site',
  requires: { access: 'organization', level: 'member', workspaces: true },
  keys: ['bearer'],
  envelope: { with: { ok: true }, under: 'data' },
  failure: { ok: false, error: { code: '{code}', message: '{message}' } },
  statuses: { UNKNOWN_KEY: 401 },
  messages: masked,
  errors: memberErrors,
  // Responses depend on the key.
  headers: { 'cache-control': 'private, no-cache', vary: 'authorization' },
  entityTags: true,
  allowedHeaders: ['idempotency-key'],
  tools: { read: 'site-content-read', write: 'site-content-write' },
};

interface Introduction {
  title: string;
  /** Markdown above the reference. A test runs its shell blocks in order. */
  description: string;
}

const main = `
Every endpoint is one operation of the GraphQL API at \`/graphql\`, with the same key, limits and errors.

## Quickstart

An owner or admin creates keys: \`npm run -s key -- --org acme --user ada@example.com\` prints one. Set the address, the key and the organization once:

\`\`\`sh
URL=\${URL:-http://127.0.0.1:4000}
KEY=\${KEY:?set KEY to your API key}
ORG=\${ORG:-acme}
call() { curl -sS --fail-with-body "$URL$1" -H "x-api-key: $KEY" -H 'content-type: application/json' -d "$2"; }
\`\`\`

Define an attribute (GraphQL), and create a product with a text to read it from:

\`\`\`sh
call /graphql '{"query":"mutation { createAttribute(input: { name: \\"Color\\", slug: \\"color\\", type: text }) { id } }"}'
PRODUCT=$(call "/api/$ORG/products/create" '{
  "sku": "QUICKSTART-1", "name": "Desk lamp", "userProvidedRawDataSources": ["Desk lamp\\nColor: red\\nHeight: 40 cm"]
}' | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
\`\`\`

Enrich it, wait for the job, and read the values with their evidence:

\`\`\`sh
JOB=$(call "/api/$ORG/product-enrichment-jobs/create" '{"productIds":["'"$PRODUCT"'"],"modelType":"budget-v1","websearch":false}' \\
  | sed 's/.*"jobId":"\\([^"]*\\)".*/\\1/')
until call "/api/$ORG/product-enrichment-jobs/$JOB/items/get" '{}' | grep -qE '"status":"(completed|failed)"'; do sleep 1; done
call "/api/$ORG/product-enrichment-jobs/$JOB/items/get" '{}'
\`\`\`

## Conventions

- A key is sent as \`x-api-key\` or \`Authorization: Bearer\`.
- \`X-RateLimit-*\` headers show the requests that are left in this minute. After a 429, wait for the seconds of \`Retry-After\`.
- An \`Idempotency-Key\` makes a repeated create, form or reply return the first response for 24 hours.
- Each surface has one form of failures, which its operations show. The header \`X-Error-Code\` has the code of a failure, on every surface. The
  403 of a valid key has \`NO_ACCESS\`: check the id or slug of the organization. \`UNKNOWN_KEY\` is a key that does not exist.
- Parameters that an endpoint does not know are ignored, and \`X-Unknown-Parameters\` names them.
`;

const site = `
Every endpoint is one operation of the GraphQL API. A key is sent as \`Authorization: Bearer\`.

\`\`\`sh
curl -sS --fail-with-body "\${SITE_URL:-http://127.0.0.1:4001}/api/v1/me" -H "Authorization: Bearer \${KEY:?set KEY to your API key}"
\`\`\`
`;

/** The text above the reference of each listener. */
export const introductions: Record<Surface['listener'], Introduction> = {
  main: { title: 'Catalog, agents and integration', description: main.trim() },
  site: { title: 'Site content', description: site.trim() },
};
