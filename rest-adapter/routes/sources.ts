import { table } from '../route.ts';
import { admin } from '../surfaces.ts';

const params = { organization: 'acme', agentId: '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a69' };
const SOURCE = 'id type name url status error pageCount chunkCount lastIndexedAt createdAt';
const success = { success: true };

export const sources = table(admin, {
  'GET /{agentId}/sources': {
    summary: 'List the knowledge sources of an agent, newest first',
    graphql: `query ($agentId: ID!) { sources(agentId: $agentId) { ${SOURCE} } }`,
    envelope: { with: success, under: 'data.sources' },
    example: { params },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'POST /{agentId}/sources': {
    summary: 'Add a knowledge source to an agent',
    description: 'The source is queued for crawling, chunking and embedding. A sitemap causes the whole site to be indexed.',
    graphql: `mutation ($agentId: ID!, $input: NewSource!) { createSource(agentId: $agentId, input: $input) { ${SOURCE} } }`,
    status: 201,
    envelope: { with: success, under: 'data.source' },
    example: { params, body: { type: 'text', name: 'Opening hours', text: 'We are open from 9 to 17, Monday to Friday.' } },
    errors: { NOT_FOUND: 'Agent not found', UNPROCESSABLE: 'An agent has at most 200 sources.' },
  },
  'DELETE /{agentId}/sources/{sourceId}': {
    summary: 'Delete a knowledge source with its content',
    graphql: `mutation ($agentId: ID!, $sourceId: ID!) { deleteSource(agentId: $agentId, id: $sourceId) { id deleted } }`,
    example: { params: { ...params, sourceId: '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a70' } },
    errors: { NOT_FOUND: 'Source not found' },
  },
});
