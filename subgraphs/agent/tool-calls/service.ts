import { isId } from '../../../platform/database/index.ts';
import { listPage, type Page, paginate } from '../../../platform/lists/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { requireAgent } from '../agents/service.ts';
import { ToolCall } from './entity.ts';
import type { ToolCallArguments } from './types.ts';

/** The calls of an agent, newest first. Throws `NOT_FOUND` if the agent does not exist. */
export async function listCalls(scope: Scope, agentId: string, filter: ToolCallArguments): Promise<Page<ToolCall>> {
  await requireAgent(scope, agentId);
  const { toolId, conversationId, status } = filter;
  if ([toolId, conversationId].some((id) => id && !isId(id))) return paginate([], filter, 0);
  const where = {
    agentId,
    ...(toolId && { toolId }),
    ...(conversationId && { conversationId }),
    ...(status && { status }),
  };
  return listPage(scope, ToolCall, { where, orderBy: { createdAt: 'desc', id: 'desc' } }, filter);
}
