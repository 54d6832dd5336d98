import { table } from '../route.ts';
import { admin } from '../surfaces.ts';

const organization = 'acme';

export const agents = table(admin, {
  'GET /': {
    summary: 'List the agents of an organization, by name',
    graphql: `query { agents { id name slug publicSlug modelType } }`,
    envelope: { with: { success: true }, under: 'data.agents' },
    example: { params: { organization } },
  },
  'POST /': {
    summary: 'Create an agent',
    description: 'The server generates the public slug, and derives the slug from the name if it is absent.',
    graphql: `mutation ($input: NewAgent!) {
      createAgent(input: $input) {
        id name slug publicSlug modelType systemPrompt welcomeMessage placeholder suggestedMessages temperature theme branding
        allowedOrigins maxTokensPerMessage maxRetrievalTokens publicAccess voiceEnabled createdAt updatedAt
      }
    }`,
    status: 201,
    envelope: { with: { success: true }, under: 'data.agent' },
    example: { params: { organization }, body: { name: 'Support desk', welcomeMessage: 'How can we help?' } },
    errors: {
      CONFLICT: 'An agent with the slug support-desk already exists',
      UNPROCESSABLE: 'An organization has at most 1,000 agents.',
    },
  },
});
