import type { Surface } from '../surfaces.ts';

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
