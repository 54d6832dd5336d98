import type { Scope } from '../../platform/scope/index.ts';
import { emit } from '../../platform/webhooks/index.ts';
import type { EnumValue } from '../../schema/enums.ts';

/**
 * Emit an event of an agent, in the transaction of its record. Dates in the data become ISO 8601 text. A function is called only if
 * somebody subscribed.
 * The erasure of the record deletes the deliveries of its events.
 */
export const emitEvent = (
  scope: Scope,
  event: EnumValue<'AgentEvent'>,
  { agentId, id }: { agentId: string; id: string },
  data: object | (() => Promise<object | null>),
): Promise<void> => emit(scope, event, data as Parameters<typeof emit>[2], agentId, id);
