import type { Api } from './api.ts';

const NAME = 'Example Trade Supplies';

const settings = {
  name: NAME,
  slug: 'assistant',
  systemPrompt: `You answer customers of ${NAME}, a shop for tools, furniture, kitchens and outdoor gear. Be brief and friendly.`,
  welcomeMessage: 'Hello! Ask me about our products, deliveries and returns, or about an order.',
  suggestedMessages: ['How heavy is the Torvik JS18 jigsaw?', 'How long can I return goods?', 'Where is my order 1042?'],
  catalogAccess: true,
};

const orderTool = (orders: string) => ({
  name: 'order_status',
  description: 'Look up where an order is, by its order number.',
  method: 'GET',
  endpointUrl: `${orders}/{{params.orderNumber}}`,
  inputSchema: {
    type: 'object',
    properties: { orderNumber: { type: 'string', pattern: '^[0-9]{1,9}$', description: 'The digits of the order number.' } },
    required: ['orderNumber'],
    additionalProperties: false,
  },
  responseMapping: { kind: 'jsonpath', path: '$' },
});

/**
 * Create the sample agent through the API: it answers from a page, from the catalog, by a tool, and raises tickets. An existing agent
 * stays. Returns its id.
 */
export async function createSampleAgent(api: Api, { pages, orders }: { pages: string; orders: string }): Promise<string> {
  const { agents } = await api.run<{ agents: { id: string; slug: string }[] }>('{ agents { id slug } }');
  const known = agents.find(({ slug }) => slug === settings.slug);
  const { agent } = known
    ? { agent: known }
    : await api.run<{ agent: { id: string } }>('mutation ($input: NewAgent!) { agent: createAgent(input: $input) { id } }', {
        input: settings,
      });
  const agentId = agent.id;
  const { sources, tools } = await api.run<{ sources: unknown[]; tools: unknown[] }>(
    'query ($agentId: ID!) { sources(agentId: $agentId) { id } tools(agentId: $agentId) { id } }',
    { agentId },
  );
  if (sources.length === 0)
    await api.run('mutation ($agentId: ID!, $input: NewSource!) { createSource(agentId: $agentId, input: $input) { id } }', {
      agentId,
      input: { type: 'url', name: 'Service', url: `${pages}/service.html` },
    });
  if (tools.length === 0)
    await api.run('mutation ($agentId: ID!, $input: NewTool!) { createTool(agentId: $agentId, input: $input) { id } }', {
      agentId,
      input: orderTool(orders),
    });
  return agentId;
}
