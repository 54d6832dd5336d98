import { SAMPLE } from './sample/first-run.ts';
import type { Context } from './stages.ts';

/** The addresses and next steps that `npm start` prints when it is ready. */
export function greeting({ url, siteUrl, temporalUi, sample, env }: Context): string {
  const key = sample?.key ?? '$KEY';
  return `
  REST            ${url}/api/${SAMPLE.organization}    reference: ${url}/docs
  GraphQL         ${url}/graphql    (GraphiQL in a browser)
  Site content    ${siteUrl}/api/v1    reference: ${siteUrl}/docs
${temporalUi ? `  Temporal UI     ${temporalUi}\n` : ''}${env.OPENAI_BASE_URL ? '  Model           offline model; set OPENAI_API_KEY to use a language model\n' : ''}
${
  sample
    ? `  API key         ${key}\n                  shown only once; \`npm run -s key -- --org ${SAMPLE.organization} --user ${SAMPLE.email}\` creates another\n`
    : `  KEY=$(npm run -s key -- --org ${SAMPLE.organization} --user ${SAMPLE.email})\n`
}
  curl -s ${url}/api/${SAMPLE.organization}/products/get -H 'x-api-key: ${key}' \\
    -H 'content-type: application/json' -d '{"enrichedFilter":"enriched","limit":3}'

  Ctrl-C stops everything.
`;
}
