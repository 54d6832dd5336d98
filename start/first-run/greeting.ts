import { IMPORT_FILE, SAMPLE } from '../sample/first-run.ts';
import type { Context } from './stages.ts';

/** The addresses and next steps that `npm start` prints when it is ready. */
export function greeting({ url, siteUrl, temporalUi, sample, signInUrl, env, logs, isShopOpen, shopUrl }: Context): string {
  const key = sample?.key ?? '$KEY';
  const another = `\`npm run -s login -- --user ${SAMPLE.email}\` prints ${signInUrl ? 'another' : 'a sign-in link'}`;
  return `
  Dashboard       ${signInUrl ?? url}
                  ${signInUrl ? 'signs you in once, within 15 minutes; ' : ''}${another}
  REST            ${url}/docs    base of all paths: ${url}/api/${SAMPLE.organization}
  GraphQL         ${url}/graphql    (GraphiQL in a browser)
  Site content    ${siteUrl}/docs    base of all paths: ${siteUrl}/api/v1
${isShopOpen ? `  Sample shop     ${shopUrl}?as=ada-1    a customer of the sample agent, who can cancel an order in the chat\n` : ''}  Logs            ${logs}
${temporalUi ? `  Temporal UI     ${temporalUi}/namespaces/default/workflows?query=WorkflowType%3D%22runJob%22\n` : ''}${env.OPENAI_BASE_URL ? '  Model           offline model; set OPENAI_API_KEY to use a language model\n' : ''}
${
  sample
    ? `  API key         ${key}\n                  shown only once; \`npm run -s key -- --org ${SAMPLE.organization} --user ${SAMPLE.email}\` creates another\n`
    : `  KEY=$(npm run -s key -- --org ${SAMPLE.organization} --user ${SAMPLE.email})\n`
}
  curl -s ${url}/api/${SAMPLE.organization}/products/get -H "x-api-key: ${key}" \\
    -H 'content-type: application/json' -d '{"enrichedFilter":"enriched","limit":3}'

  Import products from a file. The job extracts families, variants and products for review; finalize it to create them:

  curl -s ${url}/api/${SAMPLE.organization}/ai-import-jobs/create -H "x-api-key: ${key}" \\
    -F "files=@${IMPORT_FILE};type=text/csv" -F modelType=budget-v1
${sample ? chatOf(url, key, sample.agentId) : ''}
  Ctrl-C stops everything.
`;
}

/** Questions that the sample agent answers from its page, from the catalog, by its tool, and with a ticket. */
const questions = [
  'How long can I return goods?',
  'How heavy is the Torvik JS18 jigsaw?',
  'Where is my order 1042?',
  'I want to talk to a person. My e-mail address is ada@example.com',
];

const chatOf = (url: string, key: string, agentId: string): string => `
  Chat with the sample agent. The reply is a stream of events, with the tools that it calls and the sources that it cites:

  curl -sN ${url}/api/${SAMPLE.organization}/agents/${agentId}/chat -H "x-api-key: ${key}" \\
    -H 'content-type: application/json' -d '{"messages":[{"role":"user","parts":[{"type":"text","text":"${questions[0]}"}]}]}'

  It also answers: ${questions
    .slice(1)
    .map((question) => `"${question}"`)
    .join(', ')}
`;
