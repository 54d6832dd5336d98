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
  ...needs('DATABASE_DIRECT_URL', 'DATABASE_URL'),
  ...needs('OPENAI_BASE_URL', 'OPENAI_API_KEY'),
  ...needs('CATALOG_URL', 'SUBGRAPH_SECRET'),
  ...needs('AGENT_URL', 'SUBGRAPH_SECRET'),
  ...needs('SITE_CONTENT_URL', 'SUBGRAPH_SECRET'),
  ...differ('PORT', 'SITE_PORT', 'METRICS_PORT', 'HEALTH_PORT'),
];

/** One sentence per pair of values that contradict each other. A variable without an entry in `values` was not read. */
export const contradictions = (values: Values): string[] =>
  rules
    .filter(({ names, isBroken }) => names.every((name) => Object.hasOwn(values, name)) && isBroken(values))
    .map(({ sentence }) => sentence);
