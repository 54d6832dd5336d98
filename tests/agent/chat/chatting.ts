import { caller } from '../../support/client.ts';
import { database, seedOrganization } from '../../support/seed.ts';

/** One part of a stream, as sent. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
export type Part = Record<string, any>;

export const question = (text: string, more: object = {}) => ({
  messages: [{ role: 'user', parts: [{ type: 'text', text }], ...more }],
});

/** An organization with an agent that pages of `ORIGIN` may embed. */
export async function seedAgent(url: string, settings: object = {}, organizationOptions: object = {}) {
  const organization = await seedOrganization(organizationOptions);
  const admin = caller(organization.key, { url });
  const { createAgent: agent } = await admin.graphql(
    'mutation ($input: NewAgent!) { createAgent(input: $input) { id publicSlug } }',
    { input: { name: 'Zoe', allowedOrigins: [ORIGIN], ...settings } },
  );
  const adminPath = `${url}/api/${organization.slug}/agents/${agent.id}/chat`;
  return {
    ...organization,
    admin,
    agent: agent as { id: string; publicSlug: string },
    adminPath,
    widgetPath: `${url}/api/agents/${agent.publicSlug}/chat`,
    /** Send a message as the owner. */
    ask: (text: string, more: object = {}) => send(adminPath, { ...question(text), ...more }, { 'x-api-key': organization.key }),
  };
}

export const ORIGIN = 'https://shop.example.com';

let addresses = 0;
/** Headers of a visitor with an own IP address. */
export const visitor = (more: Record<string, string> = {}): Record<string, string> => {
  addresses += 1;
  return { origin: ORIGIN, 'x-forwarded-for': `203.0.113.${addresses}`, 'x-forwarded-proto': 'https', ...more };
};

/** Send a chat request and read its whole stream. */
export async function send(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return read(response);
}

export async function read(response: Response) {
  const text = await response.text();
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const lines = text.split('\n\n').filter((each) => each.startsWith('data: '));
  const data = lines.map((line) => line.slice(6));
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isStream || text === '' ? undefined : JSON.parse(text),
    parts: data.filter((each) => each !== '[DONE]').map((each) => JSON.parse(each) as Part),
    isDone: data.at(-1) === '[DONE]',
    visitorId: response.headers.get('x-visitor-id')!,
    conversationId: response.headers.get('x-conversation-id')!,
  };
}

/** The text of all deltas. */
export const textOf = (parts: Part[]) => parts.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join('');
export const typesOf = (parts: Part[]) => parts.map(({ type }) => type as string);

/** The credits of an organization. */
export const creditsOf = async (id: string): Promise<number> =>
  Number((await database().query('select credits from identity.organizations where id = $1', [id])).rows[0].credits);
