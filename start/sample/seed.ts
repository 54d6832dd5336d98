import { labelAttributes, type SampleProduct, sampleAttributeSet, sampleProducts } from './sample-catalog.ts';
import type { Api } from './sample-client.ts';

/** A product of the sample in the catalog. */
export interface SeededProduct {
  id: string;
  sku: string;
}

/**
 * Create the sample catalog through the API. Existing records stay, so a second run completes an interrupted one. Returns
 * the products.
 * @param pages base URL of the sample product pages
 */
export async function seedSample(api: Api, pages: string): Promise<SeededProduct[]> {
  await seedAttributes(api);
  for (const subject of ['brand', 'category'] as const) await createAttributes(api, subject, labelAttributes[subject]);
  await createMissing(
    api,
    sampleProducts.filter(({ isParent }) => isParent),
    pages,
  );
  await createMissing(
    api,
    sampleProducts.filter(({ isParent }) => !isParent),
    pages,
  );
  const skus = new Set(sampleProducts.map(({ sku }) => sku));
  return (await listProducts(api)).filter(({ sku }) => skus.has(sku));
}

async function seedAttributes(api: Api): Promise<void> {
  const { name, attributes } = sampleAttributeSet;
  const ids = await createAttributes(api, 'product', attributes);
  const { attributeSets } = await api.run<{ attributeSets: { name: string }[] }>('{ attributeSets { name } }');
  if (attributeSets.some((each) => each.name === name)) return;
  await api.run('mutation ($name: String!, $ids: [ID!]!) { createAttributeSet(name: $name, attributeIds: $ids) { id } }', {
    name,
    ids: attributes.map(({ slug }) => ids.get(slug)),
  });
}

/** Create the missing attributes. Returns the ids of all attributes of the subject by slug. */
async function createAttributes(
  api: Api,
  subject: 'product' | 'brand' | 'category',
  wanted: typeof sampleAttributeSet.attributes,
): Promise<Map<string, string>> {
  const { attributes } = await api.run<{ attributes: { id: string; slug: string }[] }>(
    'query ($subject: AttributeSubject!) { attributes(subject: $subject) { id slug } }',
    { subject },
  );
  const ids = new Map(attributes.map(({ slug, id }) => [slug, id]));
  for (const attribute of wanted) {
    if (ids.has(attribute.slug)) continue;
    const mutation = 'mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }';
    const { createAttribute } = await api.run<{ createAttribute: { id: string } }>(mutation, { input: { subject, ...attribute } });
    ids.set(attribute.slug, createAttribute.id);
  }
  return ids;
}

async function createMissing(api: Api, wanted: readonly SampleProduct[], pages: string): Promise<void> {
  const ids = new Map((await listProducts(api)).map(({ sku, id }) => [sku, id]));
  const products = wanted
    .filter(({ sku }) => !ids.has(sku))
    .map(({ parentSku, page, userProvidedRawDataSources, ...product }) => ({
      ...product,
      parentId: parentSku ? ids.get(parentSku) : null,
      userProvidedRawDataSources: [...userProvidedRawDataSources, ...(page ? [`${pages}/${page}.html`] : [])],
    }));
  if (products.length > 0)
    await api.run('mutation ($products: [NewProduct!]!) { createProducts(products: $products) { created } }', { products });
}

async function listProducts(api: Api): Promise<SeededProduct[]> {
  const { products } = await api.run<{ products: { nodes: SeededProduct[] } }>(
    '{ products(limit: 100, sortBy: sku, sortOrder: asc) { nodes { id sku } } }',
  );
  return products.nodes;
}

const NAME = 'Example Trade Supplies';

export const AGENT_SLUG = 'assistant';
const settings = {
  name: NAME,
  slug: AGENT_SLUG,
  systemPrompt: `You answer customers of ${NAME}, a shop for tools, furniture, kitchens and outdoor gear. Be brief and friendly.`,
  welcomeMessage: 'Hello! Ask me about our products, deliveries and returns, or about an order.',
  suggestedMessages: ['How heavy is the Torvik JS18 jigsaw?', 'How long can I return goods?', 'Where is my order 1042?'],
  catalogAccess: true,
  requireApprovals: true,
};

/** The sample addresses behind the agent. */
interface AgentPlaces {
  pages: string;
  orders: string;
  customers: string;
  shopUrl: string;
}

const orderNumber = { type: 'string', pattern: '^[0-9]{1,9}$', description: 'The digits of the order number.' };
const ofOrder = { type: 'object', properties: { orderNumber }, required: ['orderNumber'], additionalProperties: false };

/** Tools for everybody, and for the orders of the customer whom the shop has signed in. */
const sampleTools = ({ orders, customers }: AgentPlaces) => [
  {
    name: 'order_status',
    description: 'Look up where an order is, by its order number.',
    method: 'GET',
    endpointUrl: `${orders}/{{params.orderNumber}}`,
    inputSchema: ofOrder,
    responseMapping: { kind: 'jsonpath', path: '$' },
  },
  {
    name: 'my_orders',
    description: 'Show all orders of the account of the signed-in customer.',
    method: 'GET',
    endpointUrl: `${customers}/{{visitor.id}}/orders`,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    responseMapping: { kind: 'jsonpath', path: '$' },
    data: 'personal',
  },
  {
    name: 'cancel_order',
    description: 'Cancel an order of the signed-in customer, by its order number.',
    endpointUrl: `${customers}/{{visitor.id}}/orders/{{params.orderNumber}}/cancel`,
    inputSchema: ofOrder,
    responseMapping: { kind: 'jsonpath', path: '$' },
    approval: 'visitor',
    confirmation: 'Cancel your order {{params.orderNumber}}?',
  },
];

/**
 * Create the sample agent through the API: it answers from a page, from the catalog, by tools, and raises tickets. An existing agent
 * stays, and gets what it lacks. Returns its id.
 */
export async function createSampleAgent(api: Api, places: AgentPlaces): Promise<string> {
  const { agents } = await api.run<{ agents: { id: string; slug: string }[] }>('{ agents { id slug } }');
  const known = agents.find(({ slug }) => slug === settings.slug);
  const { agent } = known
    ? { agent: known }
    : await api.run<{ agent: { id: string } }>('mutation ($input: NewAgent!) { agent: createAgent(input: $input) { id } }', {
        input: { ...settings, allowedOrigins: [new URL(places.shopUrl).origin] },
      });
  const agentId = agent.id;
  const { sources, tools, signingSecrets } = await api.run<{
    sources: unknown[];
    tools: { name: string }[];
    signingSecrets: { purpose: string }[];
  }>(
    'query ($agentId: ID!) { sources(agentId: $agentId) { id } tools(agentId: $agentId) { name } signingSecrets(agentId: $agentId) { purpose } }',
    { agentId },
  );
  if (sources.length === 0)
    await api.run('mutation ($agentId: ID!, $input: NewSource!) { createSource(agentId: $agentId, input: $input) { id } }', {
      agentId,
      input: { type: 'url', name: 'Service', url: `${places.pages}/service.html` },
    });
  for (const input of sampleTools(places))
    if (!tools.some(({ name }) => name === input.name))
      await api.run('mutation ($agentId: ID!, $input: NewTool!) { createTool(agentId: $agentId, input: $input) { id } }', {
        agentId,
        input,
      });
  const ROTATE =
    'mutation ($agentId: ID!, $purpose: SigningPurpose!) { rotateSigningSecret(agentId: $agentId, purpose: $purpose) { purpose } }';
  for (const purpose of ['identity', 'requests'])
    if (!signingSecrets.some((secret) => secret.purpose === purpose)) await api.run(ROTATE, { agentId, purpose });
  return agentId;
}
