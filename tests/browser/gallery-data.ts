import type { Page } from 'playwright-core';

type Run = <Data>(query: string, variables?: object) => Promise<Data>;

/** Add to the sample what its pages show but `npm start` does not create: conversations, tickets, leads, webhooks and a site. */
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
  const conversationId = await seedConversations(run, `${new URL(page.url()).origin}/api/agents/${publicSlug}`, shopOrigin);
  await seedInbox(run, agentId);
  await run('mutation ($input: NewWebhook!) { createWebhook(input: $input) { id } }', {
    input: { url: 'https://hooks.example.com/jobs', eventType: ['product_enrichment.completed'] },
  });
  const sitePath = `content/${await seedSite(run)}`;
  const { products } = await run<{ products: { nodes: { id: string }[] } }>('{ products(limit: 100) { nodes { id } } }');
  // It runs while the start page is photographed.
  await run('mutation ($input: NewProductEnrichmentJob!) { createProductEnrichmentJob(input: $input) { id } }', {
    input: { productIds: products.nodes.map(({ id }) => id), modelType: 'budget-v1', websearch: false },
  });
  return { agentId, publicSlug, conversationId, sitePath };
}

async function seedConversations(run: Run, widget: string, origin: string): Promise<string> {
  const headers = { 'content-type': 'application/json', origin };
  const talk = async (text: string, visitor = '') => {
    const messages = [{ role: 'user', parts: [{ type: 'text', text }] }];
    const response = await fetch(`${widget}/chat`, {
      method: 'POST',
      headers: { ...headers, ...(visitor && { 'x-visitor-id': visitor }) },
      body: JSON.stringify({ messages }),
    });
    await response.text();
    return { visitorId: response.headers.get('x-visitor-id')!, conversationId: response.headers.get('x-conversation-id')! };
  };
  const requestPerson = ({ visitorId, conversationId }: Awaited<ReturnType<typeof talk>>, reason: string) =>
    fetch(`${widget}/handoff`, {
      method: 'POST',
      headers: { ...headers, 'x-visitor-id': visitorId },
      body: JSON.stringify({ conversationId, reason }),
    });
  await talk('How heavy is the Torvik JS18 jigsaw?');
  await talk('How far is the moon?');
  await requestPerson(await talk('Where is my order 1042?'), 'The parcel was damaged.');
  const visitor = await talk('How long can I return goods?');
  await requestPerson(visitor, 'I have no receipt.');
  const { conversationId } = visitor;
  const { handoff } = await run<{ handoff: { id: string } }>(
    'mutation ($id: ID!) { handoff: takeOverConversation(conversationId: $id) { id } }',
    { id: conversationId },
  );
  await run('mutation ($id: ID!, $text: String!) { sendOperatorMessage(id: $id, text: $text) { id } }', {
    id: handoff.id,
    text: 'Hello, no receipt is needed. Your order number is enough.',
  });
  return conversationId;
}

async function seedInbox(run: Run, agentId: string): Promise<void> {
  for (const [subject, requesterName, priority] of [
    ['The lamp flickers', 'Grace Hopper', 'high'],
    ['Invoice of October', 'Alan Turing', 'normal'],
    ['Wrong color delivered', 'Ada Lovelace', 'urgent'],
  ])
    await run('mutation ($input: NewTicket!) { createTicket(input: $input) { id } }', {
      input: { agentId, subject, requesterName, requesterEmail: 'customer@example.com', priority },
    });
  for (const name of ['Grace Hopper', 'Alan Turing', 'Edsger Dijkstra'])
    await run('mutation ($input: NewLead!) { createLead(input: $input) { id } }', {
      input: { agentId, name, email: `${name.split(' ')[0]!.toLowerCase()}@example.com`, phone: '+49 421 12345' },
    });
}

async function seedSite(run: Run): Promise<string> {
  const { sites } = await run<{ sites: { nodes: { id: string }[] } }>('{ sites(status: all) { nodes { id } } }');
  const [known] = sites.nodes;
  if (known) return known.id;
  const { workspace } = await run<{ workspace: { id: string } }>(
    'mutation { workspace: createWorkspace(input: { name: "Marketing", slug: "marketing" }) { id } }',
  );
  const { site } = await run<{ site: { id: string } }>(
    'mutation ($id: ID!) { site: createSite(input: { workspaceId: $id, name: "Shop", slug: "shop" }) { id } }',
    { id: workspace.id },
  );
  for (const [title, slug] of [
    ['About us', 'about'],
    ['Delivery', 'delivery'],
    ['Returns', 'returns'],
  ])
    await run('mutation ($id: ID!, $input: NewPage!) { createPage(siteId: $id, input: $input) { id } }', {
      id: site.id,
      input: { title, slug, content: `<h2>${title}</h2><p>All that our customers ask.</p>` },
    });
  return site.id;
}
