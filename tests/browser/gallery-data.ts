import type { Page } from 'playwright-core';

type Run = <Data>(query: string, variables?: object) => Promise<Data>;

/** Let an operator answer a visitor of the sample, let the widget appear on a shop, and start a job that runs while pages are photographed. */
export async function seedGallery(page: Page, shopOrigin: string) {
  const organization = new URL(page.url()).pathname.split('/')[2]!;
  const run: Run = async (query, variables = {}) => {
    const body = await page.evaluate(
      async ([text, slug]) => {
        const headers = { 'content-type': 'application/json', 'x-organization': slug! };
        return (await fetch('/graphql', { method: 'POST', headers, body: text })).json();
      },
      [JSON.stringify({ query, variables }), organization],
    );
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data;
  };
  const { agents } = await run<{ agents: { id: string; publicSlug: string }[] }>('{ agents { id publicSlug } }');
  const { id: agentId, publicSlug } = agents[0]!;
  await run('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', {
    id: agentId,
    input: { publicAccess: true, allowedOrigins: [shopOrigin] },
  });
  const conversationId = await answerVisitor(run);
  const { sites, products } = await run<{ sites: { nodes: { id: string }[] }; products: { nodes: { id: string }[] } }>(
    '{ sites(status: all) { nodes { id } } products(limit: 100) { nodes { id } } }',
  );
  await run('mutation ($input: NewProductEnrichmentJob!) { createProductEnrichmentJob(input: $input) { id } }', {
    input: { productIds: products.nodes.map(({ id }) => id), modelType: 'budget-v1', websearch: false },
  });
  return { agentId, publicSlug, conversationId, sitePath: `content/${sites.nodes[0]!.id}` };
}

/** An operator takes over the conversation of the visitor who waits longest. */
async function answerVisitor(run: Run): Promise<string> {
  const { handoffs } = await run<{ handoffs: { nodes: { conversationId: string }[] } }>(
    '{ handoffs(status: waiting, limit: 1) { nodes { conversationId } } }',
  );
  const { conversationId } = handoffs.nodes[0]!;
  const { handoff } = await run<{ handoff: { id: string } }>(
    'mutation ($id: ID!) { handoff: takeOverConversation(conversationId: $id) { id } }',
    { id: conversationId },
  );
  await run('mutation ($id: ID!, $text: String!) { sendOperatorMessage(id: $id, text: $text) { id } }', {
    id: handoff.id,
    text: 'Hello, I am sorry for that. A new parcel is on its way.',
  });
  return conversationId;
}
