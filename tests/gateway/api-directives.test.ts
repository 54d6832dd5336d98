import { type GraphQLArgument, type GraphQLInputField, type GraphQLInputObjectType, parse, print } from 'graphql';
import { createGateway } from '../../gateway/compiled-gateway.ts';
import { compose } from './support/federation.ts';

const supergraph = compose([
  {
    name: 'one',
    typeDefs: parse(`
      extend schema
        @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@composeDirective", "@inaccessible"])
        @link(url: "https://limits.example/limit/v1.0", import: ["@limit"])
        @composeDirective(name: "@limit")
      directive @limit(max: Int = 5, of: Unit) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
      enum Unit { BYTES }
      input Choice { open: String @limit(max: 3, of: BYTES) hidden: String @limit @inaccessible }
      type Query { find(text: String @limit, choice: Choice): String secret(text: String @limit): String @inaccessible }
    `),
  },
]);
const source = { execute: () => ({ data: null }), subscribe: async () => ({ data: null }) };
const schemaWith = (apiDirectives?: string[]) => createGateway({ supergraph, sources: { one: source }, apiDirectives }).schema;
const applied = (target: GraphQLArgument | GraphQLInputField | undefined) => target?.astNode?.directives?.map(print);

test('the API schema retains the directives that are named, where they are accessible', () => {
  const schema = schemaWith(['limit', 'unknown']);
  const [text] = schema.getQueryType()!.getFields().find!.args;
  const choice = (schema.getType('Choice') as GraphQLInputObjectType).getFields();
  expect(schema.getDirective('limit')?.args.map(({ name }) => name)).toEqual(['max', 'of']);
  expect(applied(text)).toEqual(['@limit']);
  expect(applied(choice.open)).toEqual(['@limit(max: 3, of: BYTES)']);
  expect(Object.keys(choice)).toEqual(['open']);
});

test('without names it has no directives', () => {
  const schema = schemaWith();
  expect(schema.getDirective('limit')).toBeUndefined();
  expect(applied(schema.getQueryType()!.getFields().find!.args[0])).toEqual([]);
});
