import { type Row, type StreamFormat, table } from '../route.ts';
import { admin, exposedToPages } from '../surfaces.ts';

const organization = 'acme';
const agentId = '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a6c';
const AGENT = `id name slug publicSlug modelType systemPrompt welcomeMessage placeholder suggestedMessages temperature theme branding
  allowedOrigins maxTokensPerMessage maxRetrievalTokens publicAccess voiceEnabled createdAt updatedAt`;

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
    graphql: `mutation ($input: NewAgent!) { createAgent(input: $input) { ${AGENT} } }`,
    status: 201,
    envelope: { with: { success: true }, under: 'data.agent' },
    example: { params: { organization }, body: { name: 'Support desk', welcomeMessage: 'How can we help?' } },
    errors: {
      CONFLICT: 'An agent with the slug support-desk already exists.',
      UNPROCESSABLE: 'An organization has at most 1,000 agents.',
    },
  },
  'GET /{agentId}': {
    summary: 'Get an agent',
    graphql: `query ($agentId: ID!) { agent(id: $agentId) { ${AGENT} } }`,
    envelope: { with: { success: true }, under: 'data.agent' },
    example: { params: { organization, agentId } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'PATCH /{agentId}': {
    summary: 'Update the sent fields of an agent',
    description: 'A field that is null returns to its default.',
    graphql: `mutation ($agentId: ID!, $input: AgentChange!) { updateAgent(id: $agentId, input: $input) { ${AGENT} } }`,
    envelope: { with: { success: true }, under: 'data.agent' },
    example: { params: { organization, agentId }, body: { temperature: 0.2, allowedOrigins: ['https://shop.example.com'] } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'DELETE /{agentId}': {
    summary: 'Delete an agent with its sources, tools and conversations',
    graphql: `mutation ($agentId: ID!) { deleteAgent(id: $agentId) { id deleted } }`,
    example: { params: { organization, agentId } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
});

const sourcesOf = { organization: 'acme', agentId: '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a69' };
const SOURCE = 'id type name url status error pageCount chunkCount lastIndexedAt createdAt';

const MB = 1024 * 1024;
/** Documents that become knowledge. Their names decide, because clients know no media type for some of them. */
const documents = [
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'text/markdown',
  'text/x-markdown',
  'text/plain',
  'text/html',
  'application/octet-stream',
];
const fileErrors = {
  NOT_FOUND: 'Source not found',
  LIMIT_REACHED: 'File storage limit reached. The files of an organization can take up to 10240 MB. Delete unused files first.',
};

export const sources = table(admin, {
  'GET /{agentId}/sources': {
    summary: 'List the knowledge sources of an agent, newest first',
    graphql: `query ($agentId: ID!) { sources(agentId: $agentId) { ${SOURCE} } }`,
    envelope: { with: { success: true }, under: 'data.sources' },
    example: { params: sourcesOf },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'POST /{agentId}/sources': {
    summary: 'Add a knowledge source to an agent',
    description: 'The source is queued for crawling, chunking and embedding. A sitemap causes the whole site to be indexed.',
    graphql: `mutation ($agentId: ID!, $input: NewSource!) { createSource(agentId: $agentId, input: $input) { ${SOURCE} } }`,
    status: 201,
    envelope: { with: { success: true }, under: 'data.source' },
    example: {
      params: sourcesOf,
      body: { type: 'text', name: 'Opening hours', text: 'We are open from 9 to 17, Monday to Friday.' },
    },
    errors: { NOT_FOUND: 'Agent not found', UNPROCESSABLE: 'An agent has at most 200 sources.' },
  },
  'DELETE /{agentId}/sources/{sourceId}': {
    summary: 'Delete a knowledge source with its content',
    graphql: `mutation ($agentId: ID!, $sourceId: ID!) { deleteSource(agentId: $agentId, id: $sourceId) { id deleted } }`,
    example: { params: { ...sourcesOf, sourceId: '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a70' } },
    errors: { NOT_FOUND: 'Source not found' },
  },
  'POST /{agentId}/source-files': {
    summary: 'Add knowledge sources from files',
    description:
      'PDF, Word (.docx), Markdown, plain text and HTML, by the ends of their names. Each file becomes a source of the type `text`. If one of them cannot be a source, none is created. Text that cannot be read is the `error` of the source.',
    files: { count: 20, bytes: 25 * MB, total: 200 * MB, types: documents },
    graphql: `mutation ($agentId: ID!, $files: [ID!]!) { createFileSources(agentId: $agentId, files: $files) { ${SOURCE} file { name bytes } } }`,
    status: 201,
    envelope: { with: { success: true }, under: 'data.sources' },
    example: { params: sourcesOf },
    errors: { ...fileErrors, NOT_FOUND: 'Agent not found', UNPROCESSABLE: 'An agent has at most 200 sources.' },
  },
  'POST /{agentId}/sources/{sourceId}/file': {
    summary: 'Replace the file of a knowledge source',
    description: 'The agent answers from the previous content until the new one is ready.',
    files: { count: 1, bytes: 25 * MB, total: 25 * MB, types: documents },
    graphql: `mutation ($agentId: ID!, $sourceId: ID!, $files: [ID!]!) {
      replaceSourceFile(agentId: $agentId, id: $sourceId, files: $files) { ${SOURCE} file { name bytes } }
    }`,
    envelope: { with: { success: true }, under: 'data.source' },
    example: { params: { ...sourcesOf, sourceId: '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a70' } },
    errors: { ...fileErrors, UNPROCESSABLE: 'The file is being read at the moment. Replace it when the source is ready.' },
  },
  'GET /{agentId}/sources/{sourceId}/file': {
    summary: 'Download the file of a knowledge source',
    description: 'The file as it was uploaded. If it is replaced meanwhile, the connection is closed.',
    graphql: `query ($agentId: ID!, $sourceId: ID!, $after: String) {
      sourceFile(agentId: $agentId, id: $sourceId, after: $after) { name content next }
    }`,
    reply: 'file',
    fileTypes: ['application/octet-stream'],
    example: { params: { ...sourcesOf, sourceId: '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a70' } },
    errors: { NOT_FOUND: 'Source not found' },
  },
});

const secretId = '0191e7a4-6d2c-7c3e-9a51-1f2d3c4b5a6e';
const SECRET = 'id name maskedValue createdAt updatedAt';

export const secrets = table(admin, {
  'GET /{agentId}/secrets': {
    summary: 'List the secrets of the organization without their values, by name',
    graphql: `query ($agentId: ID!) { secrets(agentId: $agentId) { ${SECRET} } }`,
    envelope: { with: { success: true }, under: 'data.secrets' },
    example: { params: { organization, agentId } },
    errors: { NOT_FOUND: 'Agent not found' },
  },
  'POST /{agentId}/secrets': {
    summary: 'Create a secret',
    description: 'Every agent of the organization can use the secret. Its value is never returned.',
    graphql: `mutation ($agentId: ID!, $input: NewSecret!) { createSecret(agentId: $agentId, input: $input) { ${SECRET} } }`,
    status: 201,
    envelope: { with: { success: true }, under: 'data.secret' },
    example: { params: { organization, agentId }, body: { name: 'SHOP_TOKEN', value: 'the token of the shop' } },
    errors: {
      NOT_FOUND: 'Agent not found',
      CONFLICT: 'A secret with the name SHOP_TOKEN already exists.',
      UNPROCESSABLE: 'An organization has at most 200 secrets.',
    },
  },
  'DELETE /{agentId}/secrets': {
    summary: 'Delete a secret',
    graphql: `mutation ($agentId: ID!, $id: ID!) { deleteSecret(agentId: $agentId, id: $id) { id deleted } }`,
    example: { params: { organization, agentId }, query: { id: secretId } },
    errors: { NOT_FOUND: 'Secret not found', CONFLICT: 'The secret SHOP_TOKEN is used by tool order_status of Support desk.' },
  },
});

/** The format of rows that stream a reply to clients of the AI SDK. */
export const uiMessageStream: Pick<Row, 'headers'> & { stream: StreamFormat } = {
  stream: {
    data: 'part',
    headers: { 'X-Visitor-Id': 'visitorId', 'X-Conversation-Id': 'conversationId' },
    end: '[DONE]',
    result: { text: { type: 'text-delta', key: 'delta' } },
    pair: { open: 'text-start', close: 'text-end', key: 'id' },
    failure: [{ type: 'error', errorText: '{message}' }, { type: 'finish-step' }, { type: 'finish' }],
  },
  headers: {
    'x-vercel-ai-ui-message-stream': 'v1',
    'access-control-expose-headers': exposedToPages,
  },
};

export const messages = [{ role: 'user', parts: [{ type: 'text', text: 'When are you open?' }] }];
export const conversationId = '7d9f7f0e-6f0a-4a57-9d38-0a1d2b8f5c11';

export const agentChat = table(admin, {
  'POST /{agentId}/chat': {
    summary: 'Send a message to an agent and stream its reply',
    description:
      'The stream is the UI message stream of the AI SDK. The reply continues when the client disconnects. Without credits the reply is a fixed text.',
    toolName: 'chat_with_agent',
    graphql: `subscription ($agentId: ID!, $messages: [UIMessage!]!, $conversationId: ID, $id: String, $trigger: String) {
      chat(agentId: $agentId, messages: $messages, conversationId: $conversationId, id: $id, trigger: $trigger) {
        part visitorId conversationId
      }
    }`,
    ...uiMessageStream,
    example: { params: { organization, agentId }, body: { messages } },
    errors: {
      NOT_FOUND: 'Agent not found',
      CONFLICT: 'The previous message is still being answered. Please wait for the reply.',
    },
  },
  'GET /{agentId}/chat/{conversationId}/stream': {
    summary: 'Read the running reply of a conversation from its start',
    description: 'The path accepts the chat id of the client too.',
    toolName: 'read_chat_reply',
    graphql: `subscription ($agentId: ID!, $conversationId: ID!) {
      chatReply(agentId: $agentId, conversationId: $conversationId) { part visitorId conversationId }
    }`,
    ...uiMessageStream,
    stream: { ...uiMessageStream.stream, none: 'No reply is running.' },
    example: { params: { organization, agentId, conversationId } },
    errors: { NOT_FOUND: 'Conversation not found' },
  },
});
