import type { GraphQLFieldResolver, GraphQLTypeResolver } from 'graphql';
import { buildSchema, experimentalExecuteIncrementally, type GraphQLSchema, parse } from 'graphql17';
import { type AnswerInParts, mergeInto, plain } from './federation.ts';

/** A schema for GraphQL.js 17, which executes `@defer` by the current draft. */
export const incrementalSchemaOf = (sdl: string): GraphQLSchema => buildSchema(sdl, { assumeValid: true });

interface Request {
  schema: GraphQLSchema;
  text: string;
  variables: Record<string, unknown>;
  fieldResolver: GraphQLFieldResolver<never, unknown>;
  typeResolver: GraphQLTypeResolver<never, unknown>;
}

/** Execute an operation with GraphQL.js 17 and merge the parts of its answer, as a client does. */
export async function executeInParts({ schema, text, variables, ...resolvers }: Request): Promise<AnswerInParts> {
  const result = await experimentalExecuteIncrementally({
    schema,
    document: parse(text),
    variableValues: variables,
    ...(resolvers as object),
  });
  if (!('initialResult' in result))
    return { ...(plain(result) as AnswerInParts), steps: [plain(result) as AnswerInParts], failed: [] };
  const { data, errors } = plain<unknown>(result.initialResult) as AnswerInParts;
  const merged = { data, errors };
  const steps = [plain(merged)];
  const failed: AnswerInParts['failed'] = [];
  const places = new Map(result.initialResult.pending.map((place) => [place.id, place]));
  for await (const { pending = [], incremental = [], completed = [] } of result.subsequentResults) {
    for (const place of pending) places.set(place.id, place);
    for (const part of incremental) {
      if (!('data' in part)) throw new Error('Nothing is streamed');
      const path = [...places.get(part.id)!.path, ...(part.subPath ?? [])];
      const target = path.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], merged.data);
      mergeInto(target as Record<string, unknown>, plain(part.data) as Record<string, unknown>);
    }
    for (const { errors: faults = [] } of [...incremental, ...completed])
      if (faults.length > 0) merged.errors = [...(merged.errors ?? []), ...(plain(faults) as NonNullable<AnswerInParts['errors']>)];
    for (const { id, errors } of completed) if (errors) failed.push(places.get(id)!.path);
    steps.push(plain(merged));
  }
  return { ...merged, steps, failed };
}
