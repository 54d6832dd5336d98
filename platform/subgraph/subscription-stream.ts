import type { SourceRequest, SourceResult } from 'compiled-gateway';
import { type EventStream, mapStream } from 'compiled-gateway/event-stream';
import { createSourceEventStream, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { RequestScope } from '../scope/index.ts';

/** Runs the selection of a subscription on one of its events. */
type ExecuteSelection = (event: unknown) => SourceResult | Promise<SourceResult>;

/** Open a subscription: a stream of results, or one result with errors. The stream ends with an error when the caller loses access. */
export async function openStream(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: SourceRequest['variables'],
  scope: RequestScope,
  answer: ExecuteSelection,
): Promise<EventStream<SourceResult> | SourceResult> {
  const events = await createSourceEventStream({ schema, document, contextValue: scope, variableValues: variables });
  if (!(Symbol.asyncIterator in events)) return events as SourceResult;
  const stream = mapStream<unknown, SourceResult>(events as AsyncIterable<unknown>, { map: answer });
  stream.onEnd(scope.services.streamAccess.watch(scope, (refusal) => stream.end({ errors: [refusal.toJSON()] })));
  return stream;
}
