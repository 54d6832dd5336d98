import { randomUUID } from 'node:crypto';
import type { Calling, ToolUser } from '../../../subgraphs/agent/tools/callable.ts';

/** A stranger who uses the tools of an agent that requires no approvals. */
export const strangerOf = (agentId: string): ToolUser => ({ agent: { id: agentId, requireApprovals: false }, identity: null });

/** The call of a reply in a conversation. */
export const callIn = (conversationId: string, signal?: AbortSignal): Calling => ({
  conversationId,
  messageId: randomUUID(),
  toolCallId: '1-c1',
  signal,
  cite: () => null,
});
