import { callableTools } from '../../../subgraphs/agent/tools/callable.ts';
import { caller } from '../../support/client.ts';
import { openGateway } from '../../support/gateway.ts';
import { database, seedOrganization } from '../../support/seed.ts';
import { openInProcess } from '../in-process.ts';
import { seedConversation } from '../seed-conversation.ts';
import { callIn, strangerOf } from './calling.ts';
import { startToolReceiver } from './receiver.ts';

/** The value of the secret `TOKEN`. */
export const SECRET = 's3cr3t/välue+"1"';

/** An organization with an agent, a receiver that its tools call, and a gateway that may call it. */
export async function openTools() {
  const acme = await seedOrganization();
  const receiver = await startToolReceiver();
  const own = await openInProcess();
  const gateway = await openGateway({ OUTBOUND_ALLOW_HOSTS: '127.0.0.1,localhost' });
  const admin = caller(acme.key, { url: gateway.url });
  const base = `/api/${acme.slug}/agents`;
  const agentId: string = (await admin.post(base, { name: 'Zoe' })).body.data.agent.id;
  const path = `${base}/${agentId}`;
  expect(await admin.post(`${path}/secrets`, { name: 'TOKEN', value: SECRET })).toMatchObject({ status: 201 });
  let made = 0;

  async function createTool(settings: object) {
    made += 1;
    const name = `tool_${made}`;
    const answer = await admin.post(`${path}/tools`, { name, description: 'Does it.', endpointUrl: receiver.url, ...settings });
    if (answer.status !== 201) throw new Error(answer.body.message);
    return { id: answer.body.data.tool.id as string, name };
  }

  /** Create a tool and make a dry run. */
  async function dryRun(settings: object, params: object = {}) {
    const { id } = await createTool(settings);
    const answer = await admin.post(`${path}/tools/${id}/test`, params);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    return answer.body.data;
  }

  const converse = () => seedConversation(acme.id, agentId);

  /** Call a tool as the chat does. */
  async function call(name: string, input: unknown, within?: string, signal?: AbortSignal) {
    const conversationId = within ?? (await converse());
    const tool = (await callableTools(own.scopeOf(acme.id), strangerOf(agentId))).find((each) => each.name === name)!;
    return tool.call(input, callIn(conversationId, signal));
  }

  const auditOf = async (name: string) =>
    (
      await database().query('select * from agent.tool_calls where agent_id = $1 and tool_name = $2 order by created_at', [
        agentId,
        name,
      ])
    ).rows;

  const close = async () => {
    await own.close();
    await gateway.stop();
    await receiver.close();
  };
  return { acme, receiver, own, gateway, admin, agentId, path, createTool, dryRun, converse, call, auditOf, close };
}
