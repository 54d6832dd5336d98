import { startChatProvider } from '../../support/chat-provider.ts';
import { environmentOf } from '../../support/environment.ts';
import { openGateway } from '../../support/gateway.ts';
import { startSubgraph } from '../../support/system.ts';
import { until } from '../../support/until.ts';
import { seedAgent } from '../chat/chatting.ts';
import {
  CLOSE,
  connect,
  mintToken,
  OPERATOR_EVENTS,
  requestPerson,
  SEND_OPERATOR,
  TAKE_OVER,
  VISITOR_EVENTS,
} from './handing-off.ts';

const SECRET = 'known-to-the-processes-only';
const provider = await startChatProvider();
const startAgents = (port = '0', env = {}) =>
  startSubgraph('agent', { PORT: port, SUBGRAPH_SECRET: SECRET, OPENAI_BASE_URL: provider.url, ...env });
let agents = await startAgents();
const { url } = agents.addresses;
const gateway = await openGateway({ AGENT_URL: url!, SUBGRAPH_SECRET: SECRET, APOLLO_SERVER: 'true' });
afterAll(async () => {
  await gateway.stop();
  await agents.stop();
  await provider.close();
});
const acme = await seedAgent(gateway.url, {}, { modules: ['helpdesk'] });

test('a handoff survives a killed subgraph, also if SECRETS_KEY is rotated meanwhile: no message is lost or sent twice', async () => {
  const { body } = await requestPerson(acme);
  const { id } = (await acme.admin.graphql(TAKE_OVER, { id: body.conversationId })).takeOverConversation;
  const token = await mintToken(acme, body);
  const visitor = connect(gateway.url, { handoffToken: token });
  const operator = connect(gateway.url, { 'x-api-key': acme.key });
  const streams = [visitor.events(VISITOR_EVENTS), operator.events(OPERATOR_EVENTS, { id: body.conversationId, after: 0 })];
  await acme.admin.graphql(SEND_OPERATOR, { id, text: 'before' });
  await until(() => streams.every(({ events }) => events.length === 3));

  await agents.stop('SIGKILL');
  const rotated = `the-next-key-of-the-tests-and-of-nothing-else,${environmentOf().SECRETS_KEY}`;
  agents = await startAgents(new URL(url!).port, { SECRETS_KEY: rotated });
  // Over HTTP, the token is a header.
  const SEND = 'mutation { sendVisitorMessage(text: "after", clientId: "c1") { position } }';
  const send = async () => {
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-handoff-token': token },
      body: JSON.stringify({ query: SEND }),
    });
    return (await response.json()).data?.sendVisitorMessage?.position;
  };
  await until(async () => (await send()) === 2);
  expect(await send()).toBe(2);
  await until(() => streams.every(({ events }) => events.length === 4));
  await acme.admin.graphql(CLOSE, { id });
  await Promise.all(streams.map(({ ended }) => ended));
  for (const { events } of streams)
    expect(events.map(({ status, message }) => message?.text ?? status)).toEqual([
      'waiting',
      'active',
      'before',
      'after',
      'closed',
    ]);
  await Promise.all([visitor.close(), operator.close()]);
});
