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
 * Let visitors of the sample talk to its agent, ask for a person, leave their address and fill in forms, all by the public endpoints. Visits
 * that an interrupted start has made are not repeated.
 */
export async function visitSample(api: Api, { url, siteUrl, agentId, site }: Places): Promise<void> {
  const { agent } = await api.run<{ agent: { publicSlug: string } }>('query ($id: ID!) { agent(id: $id) { publicSlug } }', {
    id: agentId,
  });
  await createForm(api, agentId);
  const widget = `${url}/api/agents/${agent.publicSlug}`;
  const talk = async (text: string) => (await visitAsking(api, agentId, text)) ?? ask(widget, text);
  const buyer = await talk('How heavy is the Torvik JS18 jigsaw?');
  await talk('How far is the moon?');
  const waiting = await talk('Where is my order 1042?');
  await talk('I want to talk to a person. My e-mail address is ada@example.com');
  const made = await api.run<Made>(MADE, { agentId, ...site });
  if (!made.handoffs.nodes.some(({ conversationId }) => conversationId === waiting.conversationId))
    await post(
      widget,
      '/handoff',
      { conversationId: waiting.conversationId, reason: 'The parcel was damaged.' },
      waiting.visitorId,
    );
  if (made.leads.length === 0)
    await post(widget, '/leads', { name: 'Alan Turing', email: 'alan@example.com', phone: '+49 421 12345' }, buyer.visitorId);
  const subject = 'The parcel was damaged';
  if (!made.tickets.some((ticket) => ticket.subject === subject))
    await api.run('mutation ($input: NewTicket!) { createTicket(input: $input) { id } }', {
      input: { agentId, subject, requesterName: 'Ada Lovelace', requesterEmail: 'ada@example.com' },
    });
  const values = { order: '1042', reason: 'The parcel was damaged.' };
  if (made.customFormSubmissions.length === 0) await post(widget, '/forms/returns/submissions', { values }, waiting.visitorId);
  const submitted = made.siteFormSubmissions.nodes.map((each) => each.values.email);
  for (const [email, message] of [
    ['ada@example.com', 'Do you deliver to islands?'],
    ['alan@example.com', 'Is the oak bench in stock in Bremen?'],
  ] as const)
    if (!submitted.includes(email))
      await post(
        `${siteUrl}/api/v1`,
        `/sites/${site.siteId}/forms/${site.formId}/submissions`,
        { values: { email, message } },
        '',
        url,
      );
}

/** The visits that an interrupted start has made. */
interface Made {
  handoffs: { nodes: { conversationId: string }[] };
  leads: unknown[];
  tickets: { subject: string }[];
  customFormSubmissions: unknown[];
  siteFormSubmissions: { nodes: { values: { email?: string } }[] };
}

const MADE = `query ($agentId: ID!, $siteId: ID!, $formId: ID!) {
  handoffs(agentId: $agentId) { nodes { conversationId } }
  leads(agentId: $agentId, email: "alan@example.com") { id }
  tickets(agentId: $agentId, email: "ada@example.com") { subject }
  customFormSubmissions(agentId: $agentId, formName: "returns") { id }
  siteFormSubmissions(siteId: $siteId, formId: $formId) { nodes { values } }
}`;

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

/** The visit of an interrupted start that asked this question. */
async function visitAsking(api: Api, agentId: string, text: string): Promise<Visit | undefined> {
  const { conversations } = await api.run<{ conversations: { nodes: { id: string; visitorId: string }[] } }>(
    'query ($agentId: ID!, $text: String!) { conversations(agentId: $agentId, search: $text, limit: 1) { nodes { id visitorId } } }',
    { agentId, text },
  );
  return conversations.nodes.map(({ id, visitorId }) => ({ conversationId: id, visitorId }))[0];
}

/** Ask the agent one question as a new visitor, and wait for its reply. */
async function ask(widget: string, text: string): Promise<Visit> {
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
