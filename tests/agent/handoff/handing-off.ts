import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startChatProvider } from '../../support/chat-provider.ts';
import { openGateway } from '../../support/gateway.ts';
import { ORIGIN, question, seedAgent, send } from '../chat/chatting.ts';

type Seeded = Awaited<ReturnType<typeof seedAgent>>;

/** One event of a handoff. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
export type Event = Record<string, any>;

const FIELDS = 'sequence type status party operatorName seenTo message { id position role text authorName }';
export const VISITOR_EVENTS = `subscription ($after: Int!) { event: visitorHandoffEvents(after: $after) { ${FIELDS} } }`;
export const OPERATOR_EVENTS = `subscription ($id: ID!, $after: Int!) { event: handoffEvents(conversationId: $id, after: $after) { ${FIELDS} } }`;

export const TAKE_OVER =
  'mutation ($id: ID!, $force: Boolean! = false) { takeOverConversation(conversationId: $id, force: $force) { id status operatorName requestedBy reason } }';
export const SEND_OPERATOR =
  'mutation ($id: ID!, $text: String!, $clientId: String) { sendOperatorMessage(id: $id, text: $text, clientId: $clientId) { id position authorName } }';
export const SEND_VISITOR =
  'mutation ($text: String!, $clientId: String) { sendVisitorMessage(text: $text, clientId: $clientId) { id position } }';
export const CLOSE = 'mutation ($id: ID!) { closeHandoff(id: $id) { status endedBy } }';
export const RETURN = 'mutation ($id: ID!) { returnHandoff(id: $id) { status endedBy } }';

const SET_HOURS =
  'mutation ($agentId: ID!, $officeHours: OfficeHoursInput) { setOfficeHours(agentId: $agentId, officeHours: $officeHours) { officeHours { awayMessage } } }';

/** Close the office of an agent until a noon in three days. */
export async function closeOffice({ admin, agent }: Pick<Seeded, 'admin' | 'agent'>, awayMessage: string) {
  const opens = new Date(Date.now() + 3 * 86_400_000);
  const weekday = opens.getUTCDay() || 7;
  const spans = [{ weekday, opensAt: '12:00', closesAt: '12:30' }];
  const set = (officeHours: object | null) => admin.graphql(SET_HOURS, { agentId: agent.id, officeHours });
  await set({ timeZone: 'UTC', spans, awayMessage });
  opens.setUTCHours(12, 0, 0, 0);
  return { opensAt: opens, reopen: () => set(null) };
}

interface Sender {
  visitorId: string;
  conversationId: string;
}

const pathOf = ({ widgetPath }: Seeded, row: string) => widgetPath.replace(/chat$/, row);
const headersOf = (visitorId?: string) => ({
  'content-type': 'application/json',
  origin: ORIGIN,
  ...(visitorId && { 'x-visitor-id': visitorId }),
});

/** Ask for a person as the widget does. */
export async function requestPerson(agent: Seeded, body: object = {}, visitorId?: string) {
  const response = await fetch(pathOf(agent, 'handoff'), {
    method: 'POST',
    headers: headersOf(visitorId),
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

export async function mintToken(agent: Seeded, { visitorId, conversationId }: Sender): Promise<string> {
  const response = await fetch(`${pathOf(agent, 'handoff-token')}?conversationId=${conversationId}`, {
    headers: headersOf(visitorId),
  });
  return (await response.json()).token;
}

/** A WebSocket client with these `connectionParams`. `events` collects what a subscription delivers until its end. */
export function connect(url: string, connectionParams: Record<string, unknown>) {
  let socket: WebSocket | undefined;
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams,
    retryAttempts: 0,
  });
  client.on('opened', (opened) => {
    socket = opened as WebSocket;
  });
  return {
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
    async run(query: string, variables: Record<string, unknown> = {}): Promise<any> {
      for await (const result of client.iterate({ query, variables })) return result;
      throw new Error('The operation had no result');
    },
    events(query: string, variables: Record<string, unknown> = { after: 0 }) {
      const events: Event[] = [];
      const stream = client.iterate<{ event: Event }>({ query, variables });
      const ended = (async () => {
        for await (const { data, errors } of stream) {
          if (errors) throw errors[0];
          events.push(data!.event);
        }
      })();
      // The end may be awaited late or never.
      ended.catch(() => {});
      return { events, ended };
    },
    /** Break the connection without a close frame. */
    tear: () => socket?.terminate(),
    close: () => client.dispose(),
  };
}

/** The kinds and texts of events, without typing. */
export const summaryOf = (events: Event[]) =>
  events
    .filter(({ type }) => type !== 'typing')
    .map(({ type, status, party, message, seenTo }) => `${type} ${status} ${party} ${message?.text ?? seenTo ?? ''}`.trim());

/** An agent with the Helpdesk module, whose visitors talk with operators. */
export async function openHandoffs() {
  const provider = await startChatProvider();
  const gateway = await openGateway({ OPENAI_BASE_URL: provider.url, CHAT_LIMIT_VISITOR: '1000', CHAT_LIMIT_IP: '1000' });
  const acme = await seedAgent(gateway.url, {}, { modules: ['helpdesk'], credits: 100 });
  return {
    provider,
    gateway,
    acme,
    /** A conversation of a visitor that an operator has taken over, with the sockets of both. */
    async active() {
      const { body } = await requestPerson(acme, { reason: 'I want to change my order.' });
      const sender: Sender = { visitorId: body.visitorId, conversationId: body.conversationId };
      const id = (await acme.admin.graphql(TAKE_OVER, { id: sender.conversationId })).takeOverConversation.id as string;
      const visitor = connect(gateway.url, { handoffToken: await mintToken(acme, sender) });
      // Operators may reach another process than visitors, here the gateway of the shared system.
      const operator = connect(process.env.TEST_URL!, { 'x-api-key': acme.key });
      return { ...sender, id, visitor, operator, close: () => Promise.all([visitor.close(), operator.close()]) };
    },
    write: (text: string, { visitorId, conversationId }: Sender, more: object = {}) =>
      send(acme.widgetPath, { ...question(text, more), conversationId }, { origin: ORIGIN, 'x-visitor-id': visitorId }),
    async close() {
      await gateway.stop();
      await provider.close();
    },
  };
}
