import type { Scope } from '../../../platform/scope/index.ts';
import { emit } from '../../../platform/webhooks/index.ts';
import type { Word } from '../../../schema/words.ts';
import type { JobEvents } from './kind.ts';
import { kindOf } from './registry.ts';

type Kind = Word<'JobKind'>;

const eventsOf = (kind: Kind): JobEvents => kindOf(kind).events ?? {};

/** Send the start event. Runs in the transaction that starts the job. */
export async function emitStart(scope: Scope, kind: Kind, id: string): Promise<void> {
  const { start, startKey = 'id' } = eventsOf(kind);
  if (start) await emit(scope, start, { [startKey]: id });
}

/** Send the completed event of a job that finished or failed by itself. */
export async function emitEnd(scope: Scope, kind: Kind, job: { id: string; status: string; completedAt: Date }): Promise<void> {
  const { completed, completedWhenFailed } = eventsOf(kind);
  const { id, status, completedAt } = job;
  if (!completed || (status === 'failed' && !completedWhenFailed)) return;
  await emit(scope, completed, { id, status, completedAt: completedAt.toISOString() });
}

/** Send the stopped event. */
export async function emitStop(scope: Scope, kind: Kind, id: string, stoppedAt: Date): Promise<void> {
  const { stopped } = eventsOf(kind);
  if (stopped) await emit(scope, stopped, { id, status: 'stopped', stoppedAt: stoppedAt.toISOString() });
}
