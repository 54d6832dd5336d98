import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { composeServices } from '@apollo/composition';
import { printSubgraphSchema } from '@apollo/subgraph';
import { createGateway } from 'compiled-gateway';
import { parse } from 'graphql';
import { openApiDocument } from '../rest-adapter/openapi/document.ts';
import { restTables } from '../rest-adapter/routes/index.ts';
import { CONSTRAINT } from '../schema/constraint.ts';
import { buildSubgraph } from '../subgraphs/common/subgraph/build.ts';
import { subgraphs } from './graph.ts';
import { codegenConfig } from './schema/codegen.ts';
import { manifestOf } from './schema/manifest.ts';
import { version } from './version.ts';

/** The generated files of `schema/`, by file name. */
export async function emitSchema(): Promise<Record<string, string>> {
  const built = await Promise.all(subgraphs.map(({ parts }) => buildSubgraph(parts)));
  const { supergraphSdl, errors } = composeServices(
    built.map(({ name, sdl }) => ({ name, url: `http://${name}`, typeDefs: parse(sdl) })),
  );
  if (!supergraphSdl) throw new Error(`The subgraphs do not compose:\n${errors?.map(({ message }) => `  ${message}`).join('\n')}`);

  const unreachable = { execute: () => ({ data: null }), subscribe: async () => ({ data: null }) };
  const { schema } = createGateway({
    supergraph: supergraphSdl,
    apiDirectives: [CONSTRAINT],
    sources: Object.fromEntries(built.map(({ name }) => [name, unreachable])),
  });
  const idempotent = built.flatMap((each) => each.idempotent).sort();
  const openApi = (listener: 'main' | 'site') =>
    `${JSON.stringify(openApiDocument({ tables: restTables, schema, listener, version, idempotent }), null, 2)}\n`;
  return {
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
}

const folder = new URL('../schema/', import.meta.url);

/** The committed files that differ from the generated ones. */
export async function staleFiles(): Promise<string[]> {
  const stale = await Promise.all(
    Object.entries(await emitSchema()).map(async ([name, text]) => {
      const committed = await readFile(new URL(name, folder), 'utf8').catch(() => '');
      return committed === text ? [] : [name];
    }),
  );
  return stale.flat();
}

if (import.meta.main) {
  await mkdir(folder, { recursive: true });
  const files = Object.entries(await emitSchema());
  for (const [name, text] of files) await writeFile(new URL(name, folder), text);
  process.stdout.write(`Wrote ${files.map(([name]) => `schema/${name}`).join(', ')}\n`);
}
