import type { EventStream } from '../../../schema/event-stream.ts';
import { followChanges } from '../../common/progress/follower.ts';
import type { RequestScope } from '../../common/scope.ts';
import { sourceLog } from './changes.ts';
import { findSource } from './service.ts';
import type { SourceUpdate } from './types.ts';

/** Streams all changes of a source after the given one, in order, until its ingestion has ended. */
export async function followSource(scope: RequestScope, given: string, after: number): Promise<EventStream<SourceUpdate>> {
  // Callers may write the id in upper case, unlike notifications.
  const { id, sequence } = await findSource(scope, given);
  return followChanges(sourceLog, scope, { id, sequence, after });
}
