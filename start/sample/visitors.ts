import type { Api } from './sample-client.ts';
import type { SampleSite } from './sample-site.ts';

interface Places {
  /** The gateway, and the site-content API. */
  url: string;
  siteUrl: string;
  agentId: string;
  site: SampleSite;
}

/**
 * Let visitors of the sample talk to its agent, ask for a person, leave their address and fill in forms, all by the public endpoints.
 * Returns the number of conversations. Does nothing if there are conversations.
 */
export async function visitSample(api: Api, { url, siteUrl, agentId, site }: Places): Promise<number> {
  const { agent, conversations } = await api.run<{
    agent: { publicSlug: string };
    conversations: { pagination: { total: number } };
  }>('query ($id: ID!) { agent(id: $id) { publicSlug } conversations(limit: 1) { pagination { total } } }', { id: agentId });
  if (conversations.pagination.total > 0) return 0;
  await createForm(api, agentId);
  const widget = `${url}/api/agents/${agent.publicSlug}`;
  const buyer = await talk(widget, 'How heavy is the Torvik JS18 jigsaw?');
  const curious = await talk(widget, 'How far is the moon?');
  const waiting = await talk(widget, 'Where is my order 1042?');
  const asking = await talk(widget, 'I want to talk to a person. My e-mail address is ada@example.com');
  await post(widget, '/handoff', { conversationId: waiting.conversationId, reason: 'The parcel was damaged.' }, waiting.visitorId);
  await post(widget, '/leads', { name: 'Alan Turing', email: 'alan@example.com', phone: '+49 421 12345' }, buyer.visitorId);
  await api.run('mutation ($input: NewTicket!) { createTicket(input: $input) { id } }', {
    input: { agentId, subject: 'The parcel was damaged', requesterName: 'Ada Lovelace', requesterEmail: 'ada@example.com' },
  });
  const values = { order: '1042', reason: 'The parcel was damaged.' };
  await post(widget, '/forms/returns/submissions', { values }, waiting.visitorId);
  for (const [email, message] of [
    ['ada@example.com', 'Do you deliver to islands?'],
    ['alan@example.com', 'Is the oak bench in stock in Bremen?'],
  ])
    await post(
      `${siteUrl}/api/v1`,
      `/sites/${site.siteId}/forms/${site.formId}/submissions`,
      { values: { email, message } },
      '',
      url,
    );
  return [buyer, curious, waiting, asking].length;
}

async function createForm(api: Api, agentId: string): Promise<void> {
  const { agentForms } = await api.run<{ agentForms: unknown[] }>('query ($id: ID!) { agentForms(agentId: $id) { id } }', {
    id: agentId,
  });
  if (agentForms.length > 0) return;
  await api.run('mutation ($id: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $id, input: $input) { id } }', {
    id: agentId,
    input: {
      name: 'returns',
      title: 'Return goods',
      fields: [
        { name: 'order', label: 'Order number', required: true },
        { name: 'reason', label: 'Reason', type: 'textarea' },
      ],
    },
  });
}

interface Visit {
  visitorId: string;
  conversationId: string;
}

/** Ask the agent one question as a new visitor, and wait for its reply. */
async function talk(widget: string, text: string): Promise<Visit> {
  const response = await post(widget, '/chat', { messages: [{ role: 'user', parts: [{ type: 'text', text }] }] });
  await response.text();
  return { visitorId: response.headers.get('x-visitor-id')!, conversationId: response.headers.get('x-conversation-id')! };
}

/** Send a request as a page of the dashboard's origin, which every agent and site allows. */
async function post(base: string, path: string, body: object, visitorId = '', origin = new URL(base).origin): Promise<Response> {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, ...(visitorId && { 'x-visitor-id': visitorId }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} responded ${response.status}: ${await response.text()}`);
  return response;
}
