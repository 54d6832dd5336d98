import { callableTools } from '../../../subgraphs/agent/tools/callable.ts';
import { openInProcess } from '../in-process.ts';
import { seedConversation } from '../seed-conversation.ts';
import { callIn, strangerOf } from './calling.ts';

/** The command-line arguments of a process that calls a tool. */
export type CallArguments = [organizationId: string, agentId: string, tool: string];

const [organizationId, agentId, name] = process.argv.slice(2) as CallArguments;
const { scopeOf } = await openInProcess();
const tools = await callableTools(scopeOf(organizationId), strangerOf(agentId));
process.send?.({ ready: true });
await tools.find((tool) => tool.name === name)?.call({}, callIn(await seedConversation(organizationId, agentId)));
