import type { Scope } from '../../platform/scope/index.ts';
import { emit } from '../../platform/webhooks/index.ts';
import type { EnumValue } from '../../schema/enums.ts';

/**
 * Emit an event of the integration API, in the transaction of its record. Dates in the data become ISO 8601 text.
 * The erasure of the record deletes the deliveries of its events.
 */
export const emitEvent = (
  scope: Scope,
  event: EnumValue<'IntegrationEvent'>,
  { agentId, id }: { agentId: string; id: string },
  data: object,
): Promise<void> => emit(scope, event, data as Record<string, unknown>, agentId, id);
