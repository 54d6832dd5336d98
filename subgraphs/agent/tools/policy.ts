import type { EnumValue } from '../../../schema/enums.ts';
import type { Agent } from '../agents/entity.ts';
import type { Tool } from './entity.ts';
import { namesVisitor } from './templates.ts';

type Protected = Pick<Tool, 'method' | 'mcpServerId' | 'effect' | 'approval' | 'destructive'>;

/** Whether a tool changes something. Its MCP server can only make it stricter. */
export function effectOf({ method, mcpServerId, effect, destructive }: Omit<Protected, 'approval'>): EnumValue<'ToolEffect'> {
  if (destructive) return 'write';
  return effect ?? (mcpServerId === null && method === 'GET' ? 'read' : 'write');
}

/**
 * The party that approves each call of a tool. Without a setting, the tool behaves as documented unless its agent requires approvals, or
 * its MCP server says that it writes or destroys.
 */
export function approvalOf(tool: Protected, { requireApprovals }: Pick<Agent, 'requireApprovals'>): EnumValue<'ToolApproval'> {
  return tool.approval ?? (tool.destructive || (requireApprovals && effectOf(tool) === 'write') ? 'visitor' : 'none');
}

/** Whether a tool writes without an approval. */
export const isUnprotected = (tool: Protected, agent: Pick<Agent, 'requireApprovals'>): boolean =>
  effectOf(tool) === 'write' && approvalOf(tool, agent) === 'none';

/** Whether a tool writes without an approval because its owner has set so. */
export const isOpenByOwner = (tool: Protected): boolean => tool.approval === 'none' && effectOf(tool) === 'write';

type Templates = Pick<
  Tool,
  'requiresVerifiedVisitor' | 'endpointUrl' | 'headersTemplate' | 'queryTemplate' | 'bodyTemplate' | 'confirmation'
>;

/** Whether a tool is only for visitors whom the site has signed in. */
export const needsVisitor = ({ requiresVerifiedVisitor, ...templates }: Templates): boolean =>
  requiresVerifiedVisitor ||
  namesVisitor([
    templates.endpointUrl,
    ...Object.values(templates.headersTemplate),
    ...Object.values(templates.queryTemplate),
    templates.bodyTemplate ?? '',
    templates.confirmation ?? '',
  ]);

interface Taint {
  /** The hosts whose personal data is in the conversation. */
  personalHosts: readonly string[];
}

/** Whether a call could carry the personal data of one host to another. */
export const carriesAway = ({ personalHosts }: Taint, host: string, { mcpServerId }: Pick<Tool, 'mcpServerId'>): boolean =>
  personalHosts.length > 0 && (mcpServerId !== null || personalHosts.some((each) => each !== host));
