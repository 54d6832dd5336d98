import { SAMPLE } from './sample/first-run.ts';
import type { Context } from './stages.ts';

/** What to do next, once everything runs. */
export function greeting({ url, siteUrl, temporalUi, sample, env }: Context): string {
  const key = sample?.key ?? '$KEY';
  return `
  REST            ${url}/api/${SAMPLE.organization}    reference: ${url}/docs
  GraphQL         ${url}/graphql    (GraphiQL in a browser)
  Site content    ${siteUrl}/api/v1    reference: ${siteUrl}/docs
${temporalUi ? `  Temporal UI     ${temporalUi}\n` : ''}${env.OPENAI_BASE_URL ? '  Model           the offline model; set OPENAI_API_KEY for a real one\n' : ''}
${
  sample
    ? `  API key         ${key}\n                  shown this once; \`npm run -s key -- --org ${SAMPLE.organization} --user ${SAMPLE.email}\` makes another\n`
    : `  KEY=$(npm run -s key -- --org ${SAMPLE.organization} --user ${SAMPLE.email})\n`
}
  curl -s ${url}/api/${SAMPLE.organization}/products/get -H 'x-api-key: ${key}' \\
    -H 'content-type: application/json' -d '{"enrichedFilter":"enriched","limit":3}'

  Ctrl-C stops everything.
`;
}
