import { readFile, writeFile } from 'node:fs/promises';
import { composeServices } from '@apollo/composition';
import { printSubgraphSchema } from '@apollo/subgraph';
import { createGateway } from 'compiled-gateway';
import { hashOf, type Manifest, type ManifestOperation } from 'compiled-gateway/graphql-over-http';
import { type GraphQLSchema, isScalarType, isSpecifiedScalarType, Kind, type OperationDefinitionNode, parse, print } from 'graphql';
import product from '../package.json' with { type: 'json' };
import { buildSubgraph } from '../platform/subgraph/build-subgraph.ts';
import { openApiDocument } from '../rest-adapter/openapi/document.ts';
import { type JsonSchema, leafSchema } from '../rest-adapter/openapi/inputs.ts';
import { routes, type Table } from '../rest-adapter/route.ts';
import { restTables } from '../rest-adapter/routes/index.ts';
import { ACCESS, CONSTRAINT, SEMANTIC_NON_NULL } from '../schema/directives.ts';
import { configurationPage, fillEvents, withFirstSettings } from './schema/documentation.ts';
import { subgraphs } from './subgraphs.ts';

const root = new URL('..', import.meta.url);

/** The generated files by path. */
async function emitSchema(): Promise<Record<string, string>> {
  const built = await Promise.all(subgraphs.map(({ parts }) => buildSubgraph(parts)));
  const { supergraphSdl, errors } = composeServices(
    built.map(({ name, sdl }) => ({ name, url: `http://${name}`, typeDefs: parse(sdl) })),
  );
  if (!supergraphSdl) throw new Error(`The subgraphs do not compose:\n${errors?.map(({ message }) => `  ${message}`).join('\n')}`);

  const unreachable = { execute: () => ({ data: null }), subscribe: async () => ({ data: null }) };
  const { schema } = createGateway({
    supergraph: supergraphSdl,
    apiDirectives: [CONSTRAINT, ACCESS, SEMANTIC_NON_NULL],
    sources: Object.fromEntries(built.map(({ name }) => [name, unreachable])),
  });
  const idempotent = built.flatMap((each) => each.idempotent).sort();
  const openApi = (listener: 'main' | 'site') =>
    `${JSON.stringify(openApiDocument({ tables: restTables, schema, listener, version: product.version, idempotent }), null, 2)}\n`;
  const schemaFiles = {
    ...Object.fromEntries(built.map(({ name, sdl }) => [`${name}.graphql`, `${sdl}\n`])),
    'supergraph.graphql': `${supergraphSdl}\n`,
    // Unlike `printSchema` of graphql-js, this printer includes applied directives.
    'api.graphql': `${printSubgraphSchema(schema)}\n`,
    'codegen.json': `${JSON.stringify(codegenConfig(schema), null, 2)}\n`,
    'openapi.json': openApi('main'),
    'openapi-site-content.json': openApi('site'),
    'idempotent-operations.json': `${JSON.stringify(idempotent, null, 2)}\n`,
    'trusted-documents.json': `${JSON.stringify(manifestOf(restTables), null, 2)}\n`,
  };
  return {
    ...Object.fromEntries(Object.entries(schemaFiles).map(([name, text]) => [`schema/${name}`, text])),
    'docs/configuration.md': configurationPage(),
    'docs/webhooks.md': fillEvents(await readFile(new URL('docs/webhooks.md', root), 'utf8')),
    'README.md': withFirstSettings(await readFile(new URL('README.md', root), 'utf8')),
  };
}

/** The committed files that differ from the generated ones. */
export async function staleFiles(): Promise<string[]> {
  const stale = await Promise.all(
    Object.entries(await emitSchema()).map(async ([path, text]) => {
      const committed = await readFile(new URL(path, root), 'utf8').catch(() => '');
      return committed === text ? [] : [path];
    }),
  );
  return stale.flat();
}

/** The operations behind the REST API as a manifest of trusted documents, named after their routes. */
function manifestOf(tables: readonly Table[]): Manifest {
  const operations = tables
    .flatMap(routes)
    .map(({ name, row, surface }) => operationOf(wordsOf(surface.listener === 'main' ? name : `site ${name}`), row.graphql));
  return { format: 'apollo-persisted-query-manifest', version: 1, operations };
}

function operationOf(name: string, text: string): ManifestOperation {
  const { definitions, ...document } = parse(text, { noLocation: true });
  const operation = definitions.find((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION)!;
  const named = { ...operation, name: { kind: Kind.NAME, value: name } } as const;
  const body = print({ ...document, definitions: definitions.map((each) => (each === operation ? named : each)) });
  return { id: hashOf(body), name, type: operation.operation, body };
}

/** `POST /api/{organization}/products/get` → `PostApiOrganizationProductsGet`. */
const wordsOf = (name: string): string =>
  name.replace(/[a-z0-9]+/gi, (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase()).replace(/[^a-z0-9]+/gi, '');

/** The configuration of GraphQL Code Generator that gives every scalar of a schema its TypeScript type. */
function codegenConfig(schema: GraphQLSchema) {
  const own = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));
  const scalars = own.map((type) => {
    const [input, output] = (['input', 'output'] as const).map((direction) => typeText(leafSchema(type, direction), type.name));
    return [type.name, input === output ? output : { input, output }];
  });
  // Node resolves only imports with an extension; bundlers accept it.
  const imports = { emitLegacyCommonJSImports: false, importExtension: '.js' };
  return { scalars: Object.fromEntries(scalars.sort()), strictScalars: true, enumsAsTypes: true, ...imports };
}

const primitives: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** A TypeScript type of the values that a JSON schema describes. Throws where the schema says nothing. */
function typeText(schema: JsonSchema, name: string): string {
  const { type, oneOf, items, properties, additionalProperties, required = [] } = schema;
  const nested = (each: unknown) => typeText(each as JsonSchema, name);
  if (Array.isArray(schema.enum)) return schema.enum.map((word) => `'${word}'`).join(' | ');
  if (Array.isArray(oneOf)) return oneOf.map(nested).join(' | ');
  if (Array.isArray(type)) return type.map((each) => nested({ ...schema, type: each })).join(' | ');
  if (type === 'array') return `Array<${items ? nested(items) : 'unknown'}>`;
  if (type === 'object' && properties) {
    const isRequired = (key: string) => (required as string[]).includes(key);
    const fields = Object.entries(properties).map(([key, each]) => `${key}${isRequired(key) ? '' : '?'}: ${nested(each)}`);
    return `{ ${fields.join('; ')} }`;
  }
  if (type === 'object') return `Record<string, ${additionalProperties ? nested(additionalProperties) : 'unknown'}>`;
  const primitive = primitives[type as string];
  if (!primitive) throw new Error(`The scalar ${name} has no schema in schema/scalars.ts`);
  return primitive;
}

if (import.meta.main) {
  const files = Object.entries(await emitSchema());
  for (const [path, text] of files) await writeFile(new URL(path, root), text);
  process.stdout.write(`Wrote ${files.map(([path]) => path).join(', ')}\n`);
}
