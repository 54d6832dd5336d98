import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { caller } from '../support/client.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';

const idempotent: string[] = JSON.parse(readFileSync(new URL('../../schema/idempotent-operations.json', import.meta.url), 'utf8'));

type Seeded = Awaited<ReturnType<typeof seed>>;

async function seed() {
  const catalog = await seedCatalog(undefined, { modules: ['helpdesk'] });
  const [productId] = await catalog.addProducts([{ name: 'Drill' }]);
  return { ...catalog, productId: productId!, slug: `made-${randomUUID().slice(0, 13)}` };
}

/** A stored file, as from the REST endpoint. */
async function addDraft({ id, owner }: Seeded): Promise<string> {
  const { rows } = await database().query(
    `insert into catalog.files (organization_id, name, mime, created_by_id, bytes, hash) values ($1, 'a.csv', 'text/csv', $2, 8, '\\x01') returning id`,
    [id, owner.id],
  );
  await database().query('insert into catalog.file_chunks (file_id, place, bytes) values ($1, 0, $2)', [rows[0].id, 'SKU\nA-1\n']);
  return rows[0].id;
}

/** A stored document, as from the REST endpoint. */
async function addDocument({ id, owner }: Seeded): Promise<string> {
  const draft = `insert into catalog.files (organization_id, name, mime, created_by_id, bytes, hash) values ($1, 'a.txt', 'text/plain', $2, 5, '\\x01') returning id`;
  const { rows } = await database().query(draft, [id, owner.id]);
  await database().query('insert into catalog.file_chunks (file_id, place, bytes) values ($1, 0, $2)', [rows[0].id, 'Lamps']);
  return rows[0].id;
}

const addAgent = async ({ api }: Seeded): Promise<string> =>
  (await api.graphql('mutation { createAgent(input: { name: "Zoe" }) { id } }')).createAgent.id;

const addSite = async ({ api }: Seeded): Promise<string> => {
  const { createWorkspace } = await api.graphql('mutation { createWorkspace(input: { name: "W", slug: "w" }) { id } }');
  const input = { workspaceId: createWorkspace.id, name: 'S', slug: 's' };
  return (await api.graphql('mutation ($input: NewSite!) { createSite(input: $input) { id } }', { input })).createSite.id;
};
const content = (operation: string, input: string) => async (seeded: Seeded) =>
  `${operation}(siteId: "${await addSite(seeded)}", input: ${input}) { id }`;

const job = (name: string, fields = '') => `${name}(input: { ${fields} modelType: "budget-v1" }) { id }`;
const rows = 'rows: [{ name: "Acme" }], inputColumns: ["name"],';
const products = ({ productId }: Seeded) => `productIds: ["${productId}"],`;

const addTicket = async (seeded: Seeded): Promise<string> =>
  (await seeded.api.graphql(`mutation { ${await operations.createTicket!(seeded)} }`)).createTicket.id;
const ticketMessage = (operation: string) => async (seeded: Seeded) =>
  `${operation}(id: "${await addTicket(seeded)}", text: "Hi") { id status messages { nodes { id text } } }`;

/** The origin of the page that embeds the agents. */
const origin = 'https://shop.example.com';

/** The arguments of a visitor of an agent. */
const visitor = async ({ api }: Seeded, agentId: string): Promise<string> => {
  const change = `input: { allowedOrigins: ["${origin}"] }`;
  const { updateAgent } = await api.graphql(`mutation { updateAgent(id: "${agentId}", ${change}) { publicSlug } }`);
  return `publicSlug: "${updateAgent.publicSlug}", visitorId: "${randomUUID()}"`;
};

/** A conversation with a question and its reply. */
async function addConversation(seeded: Seeded) {
  const agentId = await addAgent(seeded);
  const insert = async (statement: string, ...values: unknown[]): Promise<string> =>
    (await database().query(`insert into agent.${statement} returning id`, [seeded.id, ...values])).rows[0].id;
  const conversationId = await insert(
    `conversations (id, organization_id, agent_id, visitor_id, channel, status) values (gen_random_uuid(), $1, $2, gen_random_uuid(), 'widget', 'open')`,
    agentId,
  );
  const message = (position: number, role: string) =>
    insert(
      `messages (id, organization_id, conversation_id, position, role, text, status) values (gen_random_uuid(), $1, $2, $3, $4, 'Hello', 'complete')`,
      ...[conversationId, position, role],
    );
  await message(1, 'user');
  return { agentId, conversationId, messageId: await message(2, 'assistant') };
}

const addTestSet = async (seeded: Seeded, agentId: string): Promise<string> => {
  const create = 'mutation ($agentId: ID!) { createTestSet(agentId: $agentId, input: { name: "Questions" }) { id } }';
  return (await seeded.api.graphql(create, { agentId })).createTestSet.id;
};
const testCase = (testSetId: string) =>
  `createTestCase(testSetId: "${testSetId}", input: { name: "A", messages: ["Hello"], checks: [{ kind: language, text: "en" }] }) { id name }`;

/** One mutation for each operation that takes an Idempotency-Key. */
const operations: Record<string, (seeded: Seeded) => string | Promise<string>> = {
  createAttributesOfTrade: () => 'createAttributesOfTrade(template: "tools") { id }',
  createProductEditJob: ({ productId }) =>
    `createProductEditJob(selection: { ids: ["${productId}"] }, edits: [{ field: uom, action: set, value: "piece" }]) { id }`,
  createProductExportJob: ({ productId }) => `createProductExportJob(selection: { ids: ["${productId}"] }) { id }`,
  addRequesterReply: ticketMessage('addRequesterReply'),
  addTicketNote: ticketMessage('addTicketNote'),
  createAgent: () => 'createAgent(input: { name: "Ada" }) { id slug }',
  publishAgentDraft: async (seeded) => {
    const { draft } = await seeded.api.graphql(`mutation { draft: openAgentDraft(agentId: "${await addAgent(seeded)}") { id } }`);
    return `publishAgentDraft(id: "${draft.id}") { id number }`;
  },
  createAiImportJob: async (seeded) => `createAiImportJob(input: { files: ["${await addDraft(seeded)}"] }) { id totalFiles }`,
  createApiKey: () => 'createApiKey(name: "ci") { apiKey { id name } }',
  createAttribute: () => 'createAttribute(input: { name: "Size", slug: "size", type: text }) { id slug }',
  createAttributeSet: ({ attributeIds }) => `createAttributeSet(name: "All", attributeIds: ["${attributeIds.color}"]) { id name }`,
  createBrand: () => 'createBrand(name: "Acme") { created brand { id slug } }',
  createBrandEnrichmentJob: () => job('createBrandEnrichmentJob', rows),
  createCannedReply: () => 'createCannedReply(name: "hours", text: "We open at 9.") { id name }',
  createCategory: () => 'createCategory(name: "Tools") { created category { id slug } }',
  createCollection: content('createCollection', '{ name: "C", slug: "c", fields: [{ name: "a", type: "text" }] }'),
  createCollectionItem: async (seeded) => {
    const made = await seeded.api.graphql(`mutation { ${await operations.createCollection!(seeded)} }`);
    return `createCollectionItem(collectionId: "${made.createCollection.id}", input: { slug: "i", fields: { a: "x" } }) { id fields }`;
  },
  createCustomForm: async (seeded) =>
    `createCustomForm(agentId: "${await addAgent(seeded)}", input: { name: "form", title: "F", fields: [{ name: "a", label: "A" }] }) { id name }`,
  createEventSubscription: () =>
    'createEventSubscription(input: { event: "lead.created", targetUrl: "https://hooks.example.com/" }) { id targetUrl }',
  createEventSubscriptions: () =>
    'createEventSubscriptions(input: { events: ["lead.created", "tool.called"], targetUrl: "https://hooks.example.com/all" }) { subscriptions { id event } }',
  createFileSources: async (seeded) =>
    `createFileSources(agentId: "${await addAgent(seeded)}", files: ["${await addDocument(seeded)}"]) { id name file { name bytes } }`,
  createLead: async (seeded) => `createLead(input: { agentId: "${await addAgent(seeded)}", name: "Ada" }) { id contactId }`,
  createMcpServer: async (seeded) =>
    `createMcpServer(agentId: "${await addAgent(seeded)}", input: { name: "M", url: "https://mcp.example.com/" }) { id name }`,
  createOrganization: ({ slug }) => `createOrganization(name: "Made", slug: "${slug}") { id role members { role } }`,
  createPage: content('createPage', '{ title: "P", slug: "p", content: "<p>x</p>" }'),
  createPost: content('createPost', '{ title: "P", slug: "p" }'),
  createPostAuthor: content('createPostAuthor', '{ name: "A", slug: "a" }'),
  createPostCategory: content('createPostCategory', '{ name: "C", slug: "c" }'),
  createProduct: () => 'createProduct(input: { sku: "A", name: "A" }) { id sku }',
  createProductCategoryEnrichmentJob: () => job('createProductCategoryEnrichmentJob', rows),
  createProductEnrichmentJob: (seeded) => job('createProductEnrichmentJob', products(seeded)),
  createProductMarketAnalysisJob: (seeded) => job('createProductMarketAnalysisJob', products(seeded)),
  createProductValidationJob: (seeded) => job('createProductValidationJob', products(seeded)),
  createProducts: () => 'createProducts(products: [{ sku: "A", name: "A" }]) { ids }',
  createSecret: () => 'createSecret(input: { name: "API_KEY", value: "x" }) { id name }',
  createSite: async ({ api }) => {
    const made = await api.graphql('mutation { createWorkspace(input: { name: "W", slug: "w" }) { id } }');
    return `createSite(input: { workspaceId: "${made.createWorkspace.id}", name: "S", slug: "s" }) { id slug }`;
  },
  createSiteForm: content('createSiteForm', '{ name: "F", fields: [{ name: "a", label: "A" }] }'),
  createSiteWebhook: async ({ api }) => {
    const made = await api.graphql('mutation { createWorkspace(input: { name: "W", slug: "w" }) { id } }');
    return `createSiteWebhook(input: { workspaceId: "${made.createWorkspace.id}", name: "N", url: "https://hooks.example.com/", events: ["site.published"] }) { id name }`;
  },
  createSource: async (seeded) =>
    `createSource(agentId: "${await addAgent(seeded)}", input: { type: text, name: "S", text: "T" }) { id name }`,
  createTicket: async (seeded) => `createTicket(input: { agentId: "${await addAgent(seeded)}", subject: "S" }) { id ticketNumber }`,
  createTool: async (seeded) =>
    `createTool(agentId: "${await addAgent(seeded)}", input: { name: "t", description: "D", endpointUrl: "https://api.example.com/" }) { id name }`,
  createWebhook: () =>
    'createWebhook(input: { url: "https://hooks.example.com/", eventType: ["product_enrichment.completed"] }) { id url }',
  addConversationNote: async (seeded) =>
    `addConversationNote(id: "${(await addConversation(seeded)).conversationId}", text: "Call back") { id text }`,
  createTicketFromConversation: async (seeded) =>
    `createTicketFromConversation(conversationId: "${(await addConversation(seeded)).conversationId}", subject: "S") { id ticketNumber }`,
  createGapRule: () =>
    'createGapRule(input: { name: "Lamps", modelType: "budget-v1", maxCredits: 1, triggers: ["nightly"] }) { id name }',
  createTestSet: async (seeded) => `createTestSet(agentId: "${await addAgent(seeded)}", input: { name: "Questions" }) { id name }`,
  createTestCase: async (seeded) => testCase(await addTestSet(seeded, await addAgent(seeded))),
  createTestCaseFromReply: async (seeded) => {
    const { agentId, messageId } = await addConversation(seeded);
    return `createTestCaseFromReply(testSetId: "${await addTestSet(seeded, agentId)}", messageId: "${messageId}") { id messages }`;
  },
  startTestRun: async (seeded) => {
    const testSetId = await addTestSet(seeded, await addAgent(seeded));
    await seeded.api.graphql(`mutation { ${testCase(testSetId)} }`);
    return `startTestRun(testSetId: "${testSetId}", input: { target: published, repeats: 1 }) { id status }`;
  },
  createWorkspace: () => 'createWorkspace(input: { name: "W", slug: "w" }) { id slug }',
  inviteMember: () => 'inviteMember(email: "grace@example.com", role: member) { invitation { id email } }',
  replyToTicket: ticketMessage('replyToTicket'),
  submitWidgetContact: async (seeded) =>
    `submitWidgetContact(${await visitor(seeded, await addAgent(seeded))}, name: "Ada") { id createdAt }`,
  submitWidgetForm: async (seeded) => {
    const agentId = await addAgent(seeded);
    const input = '{ name: "form", title: "F", fields: [{ name: "a", label: "A" }] }';
    await seeded.api.graphql(`mutation { createCustomForm(agentId: "${agentId}", input: ${input}) { id } }`);
    return `submitWidgetForm(${await visitor(seeded, agentId)}, formName: "form", values: { a: "x" }) { id createdAt }`;
  },
  uploadFiles: async (seeded) => `uploadFiles(files: ["${await addDraft(seeded)}"]) { success uploadedFileIds }`,
};

/**
 * `tests/agent/tools/mcp-servers.test.ts`, `visitors.test.ts` and `tests/site-content/forms.test.ts` repeat those that need an MCP server, a
 * ticket of a visitor, or a published site. `createProductImportJob` needs an import that has ended, and `mailTranscript` a mail server.
 */
const elsewhere = ['createMcpTool', 'createProductImportJob', 'mailTranscript', 'replyToWidgetTicket', 'submitSiteForm'];

test.each(idempotent.filter((name) => !elsewhere.includes(name)))(
  '%s does its work once per key, and does not wait inside its transaction',
  async (name) => {
    expect(Object.keys(operations)).toContain(name);
    const seeded = await seed();
    const query = `mutation { ${await operations[name]!(seeded)} }`;
    const headers = { 'idempotency-key': randomUUID(), origin };
    const send = () => caller(seeded.key).post('/graphql', { query }, headers);
    const [first, atOnce] = await Promise.all([send(), send()]);
    expect(first.body).toEqual({ data: { [name]: expect.anything() } });
    expect(atOnce.body).toEqual(first.body);
    expect((await send()).body).toEqual(first.body);
  },
);
