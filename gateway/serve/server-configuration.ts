import { z } from 'zod';
import { defaultLimits, type Limits } from '../documents/document-limits.ts';
import { registryAddress } from '../registry/registry-database.ts';

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase());
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, 'must be the value of a header, in printable ASCII');
const faultOfRegistry = (address: string): string | undefined => {
  try {
    registryAddress(address);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
const isRegistry = (address: string) => faultOfRegistry(address) === undefined;
const seconds = z.number().positive().max(86_400);
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' });

const limit = (name: keyof Limits, meaning: string) => z.int().min(1).default(defaultLimits[name]).describe(meaning);

/** The addresses of keys decide who is trusted, so they must not be readable on the way. */
const keyUrl = httpUrl.refine(
  (url) => /^https:|^http:\/\/(localhost|127(\.\d+){3}|\[::1\])[:/]/i.test(url),
  'must be an https address, or http on this machine',
);

const headerRules = z
  .strictObject({
    forward: z.array(headerName).optional().describe('Request headers of the caller that the subgraph receives; by default none.'),
    rename: z.record(headerName, headerName).optional().describe('Request headers that the subgraph receives under another name.'),
    set: z.record(headerName, headerValue).optional().describe('Headers with a constant value.'),
    claims: z
      .record(z.string().min(1), headerName)
      .optional()
      .describe(
        'Claims of the verified token, such as `sub` or `org.id`, and the header that has each. Callers cannot send it themselves.',
      ),
  })
  .describe('Headers of the requests to a subgraph.');

const subgraph = z.strictObject({
  headers: headerRules.optional(),
  timeoutSeconds: seconds.optional().describe('Time limit of one request, with its wait for a connection; default 30.'),
  connections: z.int().min(1).max(10_000).optional().describe('Most connections to the subgraph; default 64.'),
  retries: z
    .int()
    .min(0)
    .max(10)
    .optional()
    .describe('How often a query is repeated that got no answer. Mutations are not; default 0.'),
  circuitBreaker: z
    .strictObject({
      failures: z.int().min(1).describe('Consecutive failures after which requests fail at once.'),
      seconds: seconds.describe('Seconds until one request tries the subgraph again.'),
    })
    .optional(),
  exposeErrors: z
    .union([z.boolean(), z.array(z.string().min(1))])
    .optional()
    .describe(
      'Whether callers see errors of the subgraph, or only those with certain codes. By default they are masked and logged.',
    ),
});

const tokenIssuer = z.strictObject({
  jwks: z
    .union([keyUrl, z.strictObject({ file: z.string().min(1) })])
    .describe('Address of the public keys as JWKS, or `{ file: jwks.json }`.'),
  issuer: z.string().min(1).optional().describe('The `iss` that tokens must have.'),
  audience: z
    .union([z.string(), z.array(z.string()).min(1)])
    .optional()
    .describe('The `aud` that tokens must have.'),
  algorithms: z
    .array(z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']))
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'])
    .describe('Signatures that are accepted. Shared secrets and unsigned tokens never are.'),
  allowWithoutExpiry: z.boolean().default(false).describe('Accept tokens without `exp`, which are valid as long as their key.'),
});

/** The configuration of `compiled-gateway serve`. It is the type, the check and the JSON schema at once. */
export const configurationSchema = z.strictObject({
  $schema: z.string().optional(),
  supergraph: z
    .strictObject({
      source: z
        .string()
        .min(1)
        .optional()
        .describe('File or address of the composed supergraph; without it, the newest schema that was published in the registry.'),
      headers: z
        .record(headerName, headerValue)
        .optional()
        .describe('Request headers for the address, such as the key of a registry.'),
      pollSeconds: seconds
        .default(10)
        .describe('Seconds between reads of an address or the registry. A file is read when it changes.'),
    })
    .prefault({})
    .describe('The supergraph. It is replaced while the server runs.'),
  registry: z
    .strictObject({
      database: z
        .string()
        .refine(isRegistry, { error: ({ input }) => faultOfRegistry(String(input)) })
        .describe(
          'Address in PostgreSQL, `postgres://user:password@host/database`; `?schema=NAME` names its schema (graph_registry).',
        ),
      usage: z.boolean().default(true).describe('Count operations by client, with the parts of the schema that they use.'),
    })
    .optional()
    .describe('Keeps counts of operations and published schemas. Needs the package `pg`.'),
  server: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Address to listen at; 0.0.0.0 for all.'),
      port: z.int().min(0).max(65_535).default(4000).describe('0 for any free port.'),
      path: z.string().startsWith('/').default('/graphql').describe('Path of GraphQL; /healthz and /readyz are beside it.'),
      tls: z
        .strictObject({ cert: z.string().describe('File of the certificate.'), key: z.string().describe('File of its key.') })
        .optional()
        .describe('Files of a PEM certificate and its key.'),
      trustProxy: z.boolean().default(false).describe('Take the address of a caller from X-Forwarded-For of one proxy.'),
      introspection: z.boolean().default(false).describe('Whether callers may read the schema.'),
      corsOrigins: z.array(z.string()).default([]).describe('Origins of browsers that may call; `*` for all.'),
      timeoutSeconds: seconds.default(60).describe('Time limit of an operation.'),
      bodyBytes: z.int().min(1_024).default(1_048_576).describe('Largest body of a request.'),
      responseBytes: z.int().min(1_024).default(33_554_432).describe('Largest response, and what is read from subgraphs for it.'),
      responseHeaders: z.record(headerName, headerValue).default({}).describe('Headers of every response.'),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Address to listen at.'),
      port: z.int().min(0).max(65_535).default(9090).describe('0 for any free port.'),
    })
    .optional()
    .describe('Serve Prometheus metrics at /metrics of a port of their own.'),
  limits: z
    .strictObject({
      characters: limit('characters', 'Characters of the document.'),
      tokens: limit('tokens', 'Tokens of the document.'),
      depth: limit('depth', 'Levels of fields, with fragments expanded, as in the following limits.'),
      fields: limit('fields', 'Fields.'),
      rootFields: limit('rootFields', 'Fields at the root.'),
      aliases: limit('aliases', 'Fields with an alias.'),
      directives: limit('directives', 'Directives.'),
      repeats: limit('repeats', 'Occurrences of one field without an alias in one selection.'),
      sameAliased: limit('sameAliased', 'Occurrences of one field with an alias in one selection.'),
      cost: limit('cost', 'Fields, multiplied by the lengths of the lists around them.'),
      listSize: limit('listSize', 'Assumed length of a list that neither an argument nor `@listSize` tells.'),
    } satisfies Record<keyof Limits, unknown>)
    .prefault({})
    .describe('Limits of one operation.'),
  rateLimit: z
    .strictObject({
      requests: z.int().min(1).describe('Most requests in the time.'),
      seconds: seconds.default(60).describe('The time.'),
      header: headerName.optional().describe('Count by this request header instead of the address. Only where a proxy sets it.'),
      claim: z
        .string()
        .min(1)
        .optional()
        .describe('Count by this claim of the verified token. Callers without it count by address.'),
    })
    .optional()
    .describe('Most requests of one client, counted in this process.'),
  documents: z
    .strictObject({
      automatic: z.boolean().default(true).describe('Automatic persisted queries: clients may send the hash of a known document.'),
      manifests: z.array(z.string()).default([]).describe("Files of trusted documents, as Apollo's tools write them."),
      safelist: z.boolean().default(false).describe('Run only the documents of the manifests.'),
    })
    .prefault({}),
  jwt: z
    .strictObject({
      issuers: z.array(tokenIssuer).min(1).describe('Who may sign tokens.'),
      header: headerName.default('authorization').describe('Header with the token; default authorization.'),
      prefix: z.string().default('Bearer').describe('Word in front of the token.'),
      required: z.boolean().default(false).describe('Refuse callers without a token.'),
      scopeClaim: z.string().min(1).default('scope').describe('Claim with the scopes, as text with spaces or a list.'),
      clockToleranceSeconds: z.number().min(0).max(600).default(5).describe('How far the clocks of the issuers may be off.'),
      sign: z
        .strictObject({
          header: headerName.describe('Header with the signed token.'),
          secret: z.string().min(32, 'must have at least 32 characters').describe('At least 32 characters.'),
          seconds: seconds.default(60).describe('How long a signature is valid.'),
        })
        .optional()
        .describe('Send subgraphs the claims as a token that the gateway signs with a shared secret (HS256).'),
    })
    .optional()
    .describe('Verify JSON web tokens.'),
  authorization: z
    .strictObject({
      rejectUnauthorized: z
        .boolean()
        .default(false)
        .describe('Refuse an operation with a field that the caller may not select. By default the field is null, with an error.'),
    })
    .prefault({}),
  defaults: subgraph.optional().describe('Settings of all subgraphs.'),
  subgraphs: z
    .record(z.string(), subgraph.extend({ url: httpUrl.optional().describe('Overrides the address in the supergraph.') }))
    .default({})
    .describe('Settings by the name of the subgraph, instead of the defaults.'),
  shareRequests: z.boolean().default(true).describe('Let equal queries in flight with equal headers share one request.'),
  plugins: z
    .array(z.union([z.string(), z.strictObject({ module: z.string(), options: z.unknown().optional() })]))
    .default([])
    .describe('Modules whose default export is a plugin, or a function of the options that returns one.'),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('JSON lines on standard error.'),
    })
    .prefault({}),
});

/** A checked configuration with all defaults. */
export type Configuration = z.output<typeof configurationSchema>;
/** A configuration as it is written. */
export type GivenConfiguration = z.input<typeof configurationSchema>;
export type SubgraphSettings = z.output<typeof subgraph>;
export type HeaderRules = z.output<typeof headerRules>;
export type JwtSettings = NonNullable<Configuration['jwt']>;

/** The settings of a subgraph; without a name the defaults. */
export function settingsOf({ defaults, subgraphs }: Pick<Configuration, 'defaults' | 'subgraphs'>, name?: string) {
  const { url: _, ...own } = (name !== undefined && Object.hasOwn(subgraphs, name) && subgraphs[name]) || {};
  return { ...defaults, ...own, headers: { ...defaults?.headers, ...own.headers } } satisfies SubgraphSettings;
}

/** A configuration that cannot be used, with a sentence for each fault. */
export class ConfigurationFault extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** Check a configuration and fill in its defaults. Throws `ConfigurationFault`. */
export function checkConfiguration(given: unknown): Configuration {
  const { data, error } = configurationSchema.safeParse(given);
  if (error) throw new ConfigurationFault(error.issues.map(sentenceOf));
  const faults = faultsIn(data);
  if (faults.length > 0) throw new ConfigurationFault(faults);
  return data;
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const where = place ? `${place} has` : 'The configuration has';
    return `${where} no setting ${issue.keys.map((key) => `"${key}"`).join(', ')}${suggestionFor(issue.keys[0]!, issue.path)}`;
  }
  return `${place || 'The configuration'}: ${issue.message}`;
}

/** The settings at the place of an unknown one. */
function suggestionFor(key: string, path: readonly PropertyKey[]): string {
  if (path.length > 0) return '';
  const known = Object.keys(configurationSchema.shape);
  const near = known.find((each) => each.toLowerCase().startsWith(key.slice(0, 4).toLowerCase()));
  return near ? `. Did you mean "${near}"?` : `. It has ${known.filter((each) => each !== '$schema').join(', ')}`;
}

/** Settings that work, but may admit more than their author wants; one sentence for each. */
export function warningsIn({ jwt }: Configuration): string[] {
  return (jwt?.issuers ?? []).flatMap(({ issuer, audience }, at) => [
    ...(audience === undefined
      ? [`jwt.issuers.${at} has no audience: tokens that were made for other services with the same keys are accepted`]
      : []),
    ...(issuer === undefined ? [`jwt.issuers.${at} has no issuer: whoever has the keys can be any issuer`] : []),
  ]);
}

/** Faults of settings that contradict each other. */
function faultsIn({ supergraph, registry, jwt, rateLimit, documents, defaults, subgraphs }: Configuration): string[] {
  const faults: string[] = [];
  if (supergraph.source === undefined && !registry) {
    faults.push('supergraph.source is missing: name the composed supergraph, in the file or by --supergraph, or a registry');
  }
  if (documents.safelist && documents.manifests.length === 0) {
    faults.push('documents.safelist needs documents.manifests, otherwise nothing can run');
  }
  if (rateLimit?.header && rateLimit.claim) faults.push('rateLimit: set either header or claim');
  if (rateLimit?.claim && !jwt) faults.push('rateLimit.claim needs jwt');
  const places = [
    ['defaults', defaults] as const,
    ...Object.entries(subgraphs).map(([name, each]) => [`subgraphs.${name}`, each] as const),
  ];
  for (const [place, settings] of places) {
    const { forward = [], rename = {}, claims = {} } = settings?.headers ?? {};
    if (Object.keys(claims).length > 0 && !jwt) faults.push(`${place}.headers.claims needs jwt`);
    const trusted = new Set([...Object.values(claims), ...(jwt?.sign ? [jwt.sign.header] : [])]);
    for (const name of [...forward, ...Object.values(rename)]) {
      if (trusted.has(name)) faults.push(`${place}.headers: callers could forge ${name}, because it is forwarded and has a claim`);
    }
  }
  return faults;
}
