import type { EventStream } from 'compiled-gateway/event-stream';
import { followChanges } from '../../../platform/progress/index.ts';
import { detached, type RequestScope } from '../../../platform/scope/index.ts';
import type { SourceUpdate } from './entity.ts';
import { findSource, snapshotOf, sourceLog } from './service.ts';

/**
 * Streams all changes of a source after the given one, in order, until its ingestion has ended. A subscriber that cannot resume first
 * receives the current state.
 */
export async function followSource(
  scope: RequestScope,
  given: string,
  after: number | null | undefined,
): Promise<EventStream<SourceUpdate>> {
  // Callers may write the id in upper case, unlike notifications.
  const source = await findSource(scope, given);
  const { id, sequence } = source;
  return followChanges(sourceLog, scope, { id, sequence, after, snapshot: () => snapshotOf(detached(scope), source) });
}
