import type { Source, SourceRequest, SourceResult } from 'compiled-gateway';
import { buildSchema, execute, parse, subscribe } from 'graphql';
import type { Gateway } from '../../../gateway/compiled-gateway.ts';
import { createGateway } from '../../../gateway/compiled-gateway.ts';
import { compose } from './federation.ts';

/** A gateway over one subgraph whose root fields are plain functions `(arguments, context)`. `seen` gets every request. */
export function rootedGateway(typeDefs: string, rootValue: object, seen?: (request: SourceRequest) => void): Gateway {
  const supergraph = compose([{ name: 'one', typeDefs: parse(typeDefs) }]);
  const schema = buildSchema(typeDefs);
  const args = ({ document, variables: variableValues, context: contextValue }: SourceRequest) => ({
    schema,
    document,
    variableValues,
    contextValue,
    rootValue,
  });
  const one: Source = {
    async execute(request) {
      seen?.(request);
      return JSON.parse(JSON.stringify(await execute(args(request)))) as SourceResult;
    },
    async subscribe(request) {
      seen?.(request);
      return (await subscribe(args(request))) as AsyncIterable<SourceResult> | SourceResult;
    },
  };
  return createGateway({ supergraph, sources: { one } });
}
