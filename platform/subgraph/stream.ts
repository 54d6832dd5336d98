import type { SourceRequest, SourceResult } from 'compiled-gateway';
import { createSourceEventStream, type DocumentNode, type GraphQLSchema } from 'graphql';
import { type EventStream, eventStream } from '../../schema/event-stream.ts';
import type { RequestScope } from '../scope/index.ts';

/** Runs the selection of a subscription on one of its events. */
type Answer = (event: unknown) => SourceResult | Promise<SourceResult>;

/** Open a subscription: a stream of results, or one result with errors. The stream ends with an error when the caller loses access. */
export async function openStream(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: SourceRequest['variables'],
  scope: RequestScope,
  answer: Answer,
): Promise<EventStream<SourceResult> | SourceResult> {
  const events = await createSourceEventStream({ schema, document, contextValue: scope, variableValues: variables });
  if (!(Symbol.asyncIterator in events)) return events as SourceResult;
  const source = (events as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const pull = async () => {
    const { done, value } = await source.next();
    return done ? undefined : answer(value);
  };
  const stream = eventStream<SourceResult>(pull, () => {
    unwatch();
    // The source may end only after its next event, so do not wait for it.
    Promise.resolve(source.return?.()).catch(() => {});
  });
  const unwatch = scope.services.streamAccess.watch(scope, (refusal) => stream.end({ errors: [refusal.toJSON()] }));
  return stream;
}
